#include "engine/protocol/claim_releases.h"

#include <catch2/catch.hpp>

#include "dray/alloc/extended_resources.h"
#include "dray/model/pod_claim.h"
#include "tests/unit/engine/benches.h"
#include "tests/unit/engine/commands.h"

namespace dray::engine::claim_releases_test {
namespace {

ResourceClaim held_by(const std::vector<std::string>& users, bool allocated = true) {
  auto claim = make_claim("c", 1);
  if (allocated) claim.allocation = AllocationResult{};
  for (const auto& user : users) {
    claim.reserved_for.push_back(
        {.api_group = "", .resource = "pods", .name = user, .uid = Uid("uid-" + user)});
  }
  return claim;
}

struct World {
  cluster::ClusterState cluster;
  bool waits = true;
  ClaimReleases releases{cluster, [this](const Uid&) { return waits; }};

  World() { tell(make_class()); }
  void tell(const KubeObject& object) { cluster.apply(cluster::ObjectChanged{object}); }
  /// What is asked for once the API server has shown the pod.
  Commands start(const Pod& pod) {
    const auto asked = releases.start(pod);
    if (asked.empty()) return {};
    CHECK(words(asked) == "ReadPod default/p for release");
    return releases.step({{}, pod.meta.uid}, WrittenObject{pod}, dray::testing::start);
  }
};

TEST_CASE("only what the pod itself holds is given back, once at a time") {
  struct Row {
    std::string name;
    ResourceClaim claim;
    bool want;
  };
  const auto row = GENERATE(
      Row{"its own", held_by({"p"}), true}, Row{"another's", held_by({"q"}), false},
      Row{"shared", held_by({"p", "q"}), true},
      Row{"shared, and first another's", held_by({"q", "p"}), true},
      Row{"nobody's", held_by({}), false}, Row{"without devices", held_by({"p"}, false), false});
  DYNAMIC_SECTION(row.name) {
    World world;
    world.tell(row.claim);
    const auto commands = world.start(make_pod("p", "c"));
    if (!row.want) {
      CHECK(commands.empty());
      return;
    }
    CHECK(words(commands) == "ReleaseClaim default/c for release");
    const auto write = only_write<ReleaseClaim>(commands);
    CHECK(write.uid == Uid("uid-c"));
    CHECK(write.consumer == Uid("uid-p"));
    CHECK(write.deallocate);
    CHECK(world.releases.start(make_pod("p", "c")).empty());
    CHECK(words(world.releases.step({{"default", "c"}, Uid("uid-p")}, WrittenObject{}, start)) ==
          "plan");
    // The watch is behind: by what it shows, every plan would ask again.
    CHECK(world.releases.start(make_pod("p", "c")).empty());
    auto again = row.claim;
    again.meta.resource_version = ResourceVersion("11");
    world.tell(again);
    CHECK(!world.releases.start(make_pod("p", "c")).empty());
    world.releases.reset();
    CHECK(!world.releases.start(make_pod("p", "c")).empty());
  }
}

TEST_CASE("a release is sent again until an answer shows that none may still land") {
  struct Row {
    std::string name;
    std::vector<ErrorCode> answers;
    bool over;
  };
  const auto row =
      GENERATE(Row{"done", {}, true}, Row{"gone", {ErrorCode::not_found}, true},
               Row{"no answer", {ErrorCode::unavailable}, false},
               Row{"no answer, then refused", {ErrorCode::unavailable, ErrorCode::denied}, false},
               Row{"no answer, then moved", {ErrorCode::unavailable, ErrorCode::conflict}, true});
  DYNAMIC_SECTION(row.name) {
    World world;
    world.tell(held_by({"p"}));
    REQUIRE(words(world.start(make_pod("p", "c"))) == "ReleaseClaim default/c for release");
    for (const auto code : row.answers) {
      CHECK(world.releases.under_way(Uid("uid-p")));
      static_cast<void>(
          world.releases.step({{"default", "c"}, Uid("uid-p")}, fail(code, "no"), start));
    }
    if (row.answers.empty()) {
      CHECK(words(world.releases.step({{"default", "c"}, Uid("uid-p")}, WrittenObject{}, start)) ==
            "plan");
    }
    CHECK(world.releases.under_way(Uid("uid-p")) != row.over);
    CHECK(world.releases.next_tick().has_value() != row.over);
    if (!row.over) {
      CHECK(words(world.releases.tick(*world.releases.next_tick())) ==
            "ReleaseClaim default/c for release");
    }
  }
}

TEST_CASE("what is refused for good does not keep its pod from being bound for ever") {
  World world;
  world.tell(held_by({"p"}));
  static_cast<void>(world.start(make_pod("p", "c")));
  auto code = ErrorCode::unavailable;
  for (int i = 0; i < 9; ++i) {
    REQUIRE(world.releases.under_way(Uid("uid-p")));
    static_cast<void>(
        world.releases.step({{"default", "c"}, Uid("uid-p")}, fail(code, "no"), start));
    code = ErrorCode::invalid;
  }
  CHECK_FALSE(world.releases.under_way(Uid("uid-p")));
}

TEST_CASE("what is refused is left alone for a while: with every plan it would be asked again") {
  World world;
  world.tell(held_by({"p"}));
  static_cast<void>(world.start(make_pod("p", "c")));
  const ForRelease of_p{{"default", "c"}, Uid("uid-p")};
  CHECK(world.releases.step(of_p, fail(ErrorCode::denied, "no"), start).empty());
  CHECK_FALSE(world.releases.under_way(Uid("uid-p")));
  CHECK(world.releases.start(make_pod("p", "c")).empty());
  const GiveBack audited{{"default", "c"}, Uid("uid-c"), held_by({"p"}).reserved_for};
  CHECK(world.releases.give_back(audited).empty());
  const auto later = world.releases.next_tick();
  REQUIRE(later == start + std::chrono::seconds(5));
  CHECK(words(world.releases.tick(*later)) == "plan");
  CHECK(words(world.start(make_pod("p", "c"))) == "ReleaseClaim default/c for release");
}

TEST_CASE("nothing is taken from a pod that is bound, whatever the watch shows") {
  World world;
  world.tell(held_by({"p"}));
  auto pod = make_pod("p", "c");
  REQUIRE(words(world.releases.start(pod)) == "ReadPod default/p for release");
  auto read = pod;
  SECTION("it is bound") {
    read.node_name = NodeName("n0");
  }
  SECTION("it is another of that name") {
    read.meta.uid = Uid("another");
  }
  CHECK(world.releases.step({{}, pod.meta.uid}, WrittenObject{read}, start).empty());
  CHECK_FALSE(world.releases.start(pod).empty());  // it may be asked for again
}

TEST_CASE("a pod that cannot be read is asked for later") {
  World world;
  world.tell(held_by({"p"}));
  const auto pod = make_pod("p", "c");
  static_cast<void>(world.releases.start(pod));
  const auto commands =
      world.releases.step({{}, pod.meta.uid}, fail(ErrorCode::unavailable, "cut"), start);
  REQUIRE(commands.size() == 1);
  CHECK(std::holds_alternative<PlanAt>(commands[0]));
}

/// A pod on whose claim another node's devices are written, and a plan that found no place for it.
struct Leftover : Bench {
  Pod pod = make_pod("p", "c-p", false);
  std::optional<std::pair<WriteId, ReadPod>> read;

  Leftover() : Bench({}, true) {
    add_nodes(2, 1);
    auto claim = claim_of("p");
    claim.allocation = place("p", "n0").claims[0].allocation;
    claim.reserved_for = {{.api_group = "", .resource = "pods", .name = "p", .uid = Uid("uid-p")}};
    tell(claim);
    tell(pod);
    planner::Plan plan;
    auto& outcome = plan.jobs.emplace_back();
    outcome.job = Uid("uid-p");
    outcome.pods = {Uid("uid-p")};
    outcome.reason = Reason::node_refused;
    planned(plan);
    read = take_write<ReadPod>();
    REQUIRE(read);
  }
  void has_a_place() {
    tell(make_node("n7"));
    planner::Plan plan;
    plan.jobs.push_back(placed("p", "n0"));
    planned(plan);
  }
  void pod_read() { done(read->first, WrittenObject{pod}); }
};

TEST_CASE("a pod that has a place by now keeps its claims") {
  Leftover bench;
  bench.has_a_place();
  bench.bind(bench.pod, "n0", 1);
  bench.pod_read();
  CHECK_FALSE(bench.take_write<ReleaseClaim>());
  CHECK(bench.answers.empty());
}

TEST_CASE("a pod whose claims are being given back is not bound before that is over") {
  Leftover bench;
  bench.pod_read();
  auto release = bench.take_write<ReleaseClaim>();
  REQUIRE(release);
  bench.has_a_place();
  bench.bind(bench.pod, "n0", 1);
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error == "pod default/p: its claims are being given back");
  // Without an answer it may still land.
  bench.done(release->first, fail(ErrorCode::unavailable, "no answer"));
  bench.bind(bench.pod, "n0", 2);
  CHECK(bench.answers.size() == 2);
  CHECK_FALSE(bench.take_write<ReadClaim>());
  for (release.reset(); !release; release = bench.take_write<ReleaseClaim>()) bench.wait();
  bench.done(release->first, WrittenObject{});
  bench.bind(bench.pod, "n0", 3);
  CHECK(bench.answers.size() == 2);
  CHECK(bench.take_write<ReadClaim>());
}

TEST_CASE("a pod whose claims are not there has nothing to give back") {
  World world;
  CHECK(world.releases.start(make_pod("p", "c")).empty());
}

TEST_CASE("what a pod holds is given back though another claim of its is not there") {
  struct Row {
    std::string name;
    PodResourceClaim missing;
  };
  const auto row = GENERATE(
      Row{"deleted", {.name = "other", .claim_name = "deleted", .template_name = {}}},
      Row{"yet to be made", {.name = "other", .claim_name = {}, .template_name = "template"}});
  DYNAMIC_SECTION(row.name) {
    World world;
    world.tell(held_by({"p"}));
    auto pod = make_pod("p", "c");
    pod.resource_claims.insert(pod.resource_claims.begin(), row.missing);
    CHECK(words(world.start(pod)) == "ReleaseClaim default/c for release");
  }
}

/// The claim that dray makes for the pod's extended resources.
ResourceClaim extended_claim(const Pod& pod) {
  ResourceClaim claim;
  const auto key = alloc::extended_resource_claim_key(pod);
  claim.meta.namespace_name = key.namespace_name;
  claim.meta.name = key.name;
  claim.meta.uid = Uid("uid-extended");
  claim.meta.resource_version = ResourceVersion("31");
  claim.meta.annotations[alloc::extended_resource_annotation] = "true";
  claim.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
  return claim;
}

TEST_CASE("the claim for extended resources suits one node: given back, or deleted") {
  World world;
  const auto pod = make_pod("p", "");
  auto claim = extended_claim(pod);
  SECTION("with devices it is given back") {
    claim.allocation = AllocationResult{};
    world.tell(claim);
    CHECK(words(world.start(pod)) == "ReleaseClaim default/" + claim.meta.name + " for release");
    CHECK(world.releases.start(pod).empty());
  }
  SECTION("without it is deleted") {
    world.tell(claim);
    const auto commands = world.start(pod);
    CHECK(words(commands) == "DeleteClaim default/" + claim.meta.name + " for release");
    CHECK(only_write<DeleteClaim>(commands).uid == Uid("uid-extended"));
    CHECK(only_write<DeleteClaim>(commands).expected == ResourceVersion("31"));
  }
  SECTION("it goes already") {
    claim.meta.deleted = start;
    world.tell(claim);
    CHECK(world.releases.start(pod).empty());
  }
  SECTION("another's of that name stays") {
    claim.meta.owners.front().uid = Uid("uid-q");
    world.tell(claim);
    CHECK(world.releases.start(pod).empty());
  }
}

TEST_CASE("what an audit takes back is sent at once, and again until there is an answer") {
  World world;
  const GiveBack command{{"default", "c"}, Uid("uid-c"), held_by({"p", "q"}).reserved_for};
  CHECK(words(world.releases.give_back(command)) ==
        "ReleaseClaim default/c for release; ReleaseClaim default/c for release");
  CHECK(world.releases.give_back(command).empty());  // under way
  CHECK(world.releases.under_way(Uid("uid-p")));
  CHECK(world.releases.under_way(Uid("uid-q")));
  const ForRelease of_p{{"default", "c"}, Uid("uid-p")};
  CHECK(words(world.releases.step({{"default", "c"}, Uid("uid-q")}, WrittenObject{}, start)) ==
        "plan");
  CHECK(!world.releases.under_way(Uid("uid-q")));
  CHECK(world.releases.step(of_p, fail(ErrorCode::unavailable, "cut"), start).empty());
  // It may still land: the pod is not bound before there is an answer.
  CHECK(world.releases.under_way(Uid("uid-p")));
  const auto again = world.releases.tick(*world.releases.next_tick());
  CHECK(only_write<ReleaseClaim>(again).consumer == Uid("uid-p"));
  CHECK(words(world.releases.step(of_p, WrittenObject{}, start)) == "plan");
  CHECK(!world.releases.under_way(Uid("uid-p")));
}

}  // namespace
}  // namespace dray::engine::claim_releases_test
