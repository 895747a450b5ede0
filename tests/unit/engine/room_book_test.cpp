#include "engine/books/room_book.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::room_book_test {
namespace {

using namespace std::chrono_literals;

std::vector<Placement> place(const std::string& node) {
  Placement placement;
  placement.node = NodeName(node);
  return {placement};
}

std::shared_ptr<const planner::Job> job(const std::string& uid, const std::string& lineage,
                                        planner::MemberState state) {
  planner::Job made;
  made.uid = Uid(uid);
  made.lineage = lineage;
  made.members.push_back({std::make_shared<const Pod>(make_pod(uid, "")), state, {}});
  return std::make_shared<const planner::Job>(std::move(made));
}

using State = planner::MemberState;

std::string held(const RoomBook& book) {
  std::string text;
  for (const auto& hold : book.holds()) {
    text += hold.job.get() + "@" + hold.placements.front().node.get() + " ";
  }
  return text;
}

TEST_CASE("room is held until the plan or a refusal ends it") {
  cluster::ClusterState cluster;
  RoomBook book(cluster);
  book.hold(Uid("a"), place("n0"));
  book.hold(Uid("b"), place("n1"));
  CHECK(held(book) == "a@n0 b@n1 ");
  CHECK(book.holds(Uid("a")));
  book.hold(Uid("a"), place("n2"));
  CHECK(held(book) == "a@n2 b@n1 ");
  book.hold(Uid("a"), {});
  CHECK(!book.holds(Uid("a")));
  book.end_hold(Uid("b"));
  CHECK(book.holds().empty());
}

TEST_CASE("room is kept for a job until the next plan says otherwise, or another leads") {
  cluster::ClusterState cluster;
  RoomBook book(cluster);
  CHECK_FALSE(book.kept());
  const planner::KeptRoom room{.job = Uid("a"),
                               .placements = place("n0"),
                               .in_the_way = {Uid("p")},
                               .complete = {},
                               .since = start};
  book.keep(room);
  REQUIRE(book.kept());
  CHECK(*book.kept() == room);
  SECTION("for nobody") {
    book.keep(std::nullopt);
  }
  SECTION("another leads") {
    book.reset();
  }
  CHECK_FALSE(book.kept());
}

TEST_CASE("a job that is gone holds nothing") {
  cluster::ClusterState cluster;
  RoomBook book(cluster);
  book.hold(Uid("a"), place("n0"));
  book.hold(Uid("c"), place("n1"));
  book.refresh({job("b", "l-b", State::waiting), job("c", "l-c", State::placed)}, start);
  CHECK(held(book) == "c@n1 ");
}

TEST_CASE("room for a moved job is its own once its pods are made anew, for a while") {
  cluster::ClusterState cluster;
  RoomBook book(cluster);
  book.moved("line", place("n3"), start);
  const auto back = job("new", "line", State::waiting);
  SECTION("it is back in time") {
    book.refresh({job("old", "other", State::waiting)}, start);
    CHECK(book.holds().empty());
    book.refresh({back}, start + RoomBook::moved_room_life - 1us);
    CHECK(held(book) == "new@n3 ");
    book.end_hold(Uid("new"));
    book.refresh({back}, start);
    CHECK(book.holds().empty());
  }
  SECTION("its pods leave still") {
    book.refresh({job("old", "line", State::leaving)}, start);
    CHECK(book.holds().empty());
    book.refresh({back}, start);
    CHECK(held(book) == "new@n3 ");
  }
  SECTION("too late") {
    book.refresh({back}, start + RoomBook::moved_room_life);
    CHECK(book.holds().empty());
  }
}

TEST_CASE("two jobs of one workload that were moved both have their room") {
  cluster::ClusterState cluster;
  RoomBook book(cluster);
  book.moved("line", place("n3"), start);
  book.moved("line", place("n4"), start);
  const auto first = job("a", "line", State::waiting);
  const auto second = job("b", "line", State::waiting);
  book.refresh({first, second}, start);
  CHECK(book.holds().size() == 2);
}

TEST_CASE("a new leader holds nothing") {
  cluster::ClusterState cluster;
  RoomBook book(cluster);
  book.hold(Uid("a"), place("n0"));
  book.moved("line", place("n3"), start);
  book.reset();
  book.refresh({job("a", "line", State::waiting)}, start);
  CHECK(book.holds().empty());
}

/// A pod on n0 that used the claim c, and is gone.
struct Leaving {
  cluster::ClusterState cluster;
  RoomBook book{cluster};
  planner::Job job;
  ResourceClaim claim = make_claim("c", 1);

  Leaving() {
    auto pod = make_pod("p", "c", false);
    pod.node_name = NodeName("n0");
    job.members.push_back({std::make_shared<const Pod>(pod), State::placed, NodeName("n0")});
    claim.allocation = AllocationResult{};
    claim.reserved_for = {{.api_group = "", .resource = "pods", .name = "p", .uid = Uid("uid-p")}};
    cluster.apply(cluster::ObjectChanged{make_class()});
    tell();
  }
  void tell() { cluster.apply(cluster::ObjectChanged{claim}); }
};

TEST_CASE("devices of a pod that is gone are on their way until the claim has lost them") {
  Leaving world;
  world.book.pod_gone(world.job, Uid("uid-p"), start);
  const auto want = std::vector{planner::LeavingClaim{{"default", "c"}, NodeName("n0")}};
  CHECK(world.book.leaving_claims(start) == want);
  SECTION("its user is taken off first") {
    world.claim.reserved_for.clear();
    world.tell();
    CHECK(world.book.leaving_claims(start) == want);
  }
  SECTION("they are free") {
    world.claim.allocation.reset();
    world.tell();
    CHECK(world.book.leaving_claims(start).empty());
  }
  SECTION("somebody else uses them, or did") {
    world.claim.reserved_for.push_back(
        {.api_group = "", .resource = "pods", .name = "q", .uid = Uid("uid-q")});
    world.cluster.apply(cluster::ObjectChanged{make_pod("q", "c", false)});
    world.tell();
    CHECK(world.book.leaving_claims(start).empty());
    world.cluster.apply(cluster::ObjectGone{Kind::pod, "default", "q", Uid("uid-q")});
    world.book.pod_gone(world.job, Uid("uid-p"), start);
    CHECK(world.book.leaving_claims(start) == want);
  }
  SECTION("another claim of that name") {
    world.claim.meta.uid = Uid("uid-other");
    world.tell();
    CHECK(world.book.leaving_claims(start).empty());
  }
  SECTION("the claim is gone") {
    world.cluster.apply(
        cluster::ObjectGone{Kind::resource_claim, "default", "c", world.claim.meta.uid});
    CHECK(world.book.leaving_claims(start).empty());
  }
  SECTION("not for ever") {
    const auto end = start + RoomBook::leaving_patience;
    CHECK(world.book.leaving_claims(end - 1us) == want);
    CHECK(world.book.leaving_claims(end).empty());
    CHECK(world.book.leaving_claims(start).empty());
  }
  SECTION("a change of leadership changes nothing about it") {
    world.book.reset();
    CHECK(world.book.leaving_claims(start) == want);
  }
}

TEST_CASE("devices of a pod that has finished are on their way, too, from then on") {
  Leaving world;
  auto pod = *world.job.members[0].pod;
  pod.phase = "Succeeded";
  SECTION("it has just finished") {
    world.book.pod_finished(world.job, pod, start);
    CHECK(world.book.leaving_claims(start).size() == 1);
  }
  SECTION("it finished before") {
    world.job.members[0].state = State::done;
    world.book.pod_finished(world.job, pod, start);
    CHECK(world.book.leaving_claims(start).empty());
  }
}

TEST_CASE("a pod that never ran leaves nothing behind") {
  Leaving world;
  auto pod = make_pod("p", "c", false);
  world.job.members[0].pod = std::make_shared<const Pod>(pod);
  world.book.pod_gone(world.job, Uid("uid-p"), start);
  CHECK(world.book.leaving_claims(start).empty());
  world.book.pod_gone(world.job, Uid("another"), start);
  CHECK(world.book.leaving_claims(start).empty());
}

}  // namespace
}  // namespace dray::engine::room_book_test
