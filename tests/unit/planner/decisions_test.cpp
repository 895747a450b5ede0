#include "planner/place/decisions.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::decisions_test {

using namespace worlds;
namespace {

std::vector<Placed> place(Parts& parts, const std::string& job) {
  const auto chunk = parts.job(job).next_chunk();
  auto made =
      parts.placer.place(parts.job(job), chunk, parts.placer.fit().everywhere(), Room::releasing);
  REQUIRE(made);
  return *std::move(made);
}

World world_of_two() {
  World world;
  world.node("a", 2);
  world.queue("top", 0);
  world.queue("leaf", 0, "top");
  world.waiting("p", 1, "leaf");
  world.waiting("q", 1, "leaf").preemptible = false;
  return world;
}

TEST_CASE("what starts counts in its queues, and says where and why there") {
  auto world = world_of_two();
  Parts parts(world);
  auto& decisions = parts.decisions;
  const auto& leaf = decisions.queues()[parts.queue("leaf")];
  CHECK(decisions.find(parts.job("p")) == nullptr);
  const auto placed = place(parts, "p");
  CHECK(leaf.allocated[parts.gpu()] == 0);
  decisions.start(parts.job("p"), placed, parts.overlay.queues());
  CHECK(leaf.allocated[parts.gpu()] == 1);
  CHECK(decisions.queues()[parts.queue("top")].allocated[parts.gpu()] == 1);
  const auto* made = decisions.find(parts.job("p"));
  REQUIRE(made != nullptr);
  CHECK(made->placements.size() == 1);
  CHECK(made->held.empty());
  CHECK(made->reason == Reason::none);
  CHECK(made->detail == "the only node");
  CHECK_FALSE(decisions.keeps(parts.task("p")));
}

TEST_CASE("room that is held is kept, and counts as well") {
  auto world = world_of_two();
  Parts parts(world);
  auto& decisions = parts.decisions;
  const auto placed = place(parts, "q");
  decisions.hold(parts.job("q"), placed, parts.overlay.queues());
  const auto* made = decisions.find(parts.job("q"));
  REQUIRE(made != nullptr);
  CHECK(made->placements.empty());
  CHECK(made->held.size() == 1);
  CHECK(made->reason == Reason::room_freed);
  CHECK(decisions.keeps(parts.task("q")));
  const auto& leaf = decisions.queues()[parts.queue("leaf")];
  CHECK(leaf.allocated_nonpreemptible[parts.gpu()] == 1);
}

TEST_CASE("who keeps room, how others leave for it, and who has lost it") {
  auto world = world_of_two();
  Parts parts(world);
  auto& decisions = parts.decisions;
  decisions.hold(parts.job("p"), place(parts, "p"), parts.overlay.queues(), Left::moved);
  decisions.hold(parts.job("q"), place(parts, "q"), parts.overlay.queues());
  CHECK(decisions.keeps(parts.task("p")));
  CHECK(decisions.nobody_evicted_for(parts.task("p")));
  CHECK_FALSE(decisions.nobody_evicted_for(parts.task("q")));
  decisions.forget(parts.task("p"));
  CHECK_FALSE(decisions.keeps(parts.task("p")));
  CHECK_FALSE(decisions.nobody_evicted_for(parts.task("p")));
}

TEST_CASE("outcomes stand in the order of the first look, with the pods that wait") {
  World world;
  world.node("a", 2);
  auto& gang = world.gang("g", "a", 1);
  world.member(gang, "g0", 1, "a", 0);
  world.member(gang, "g1", 1);
  world.waiting("p", 1, "a");
  Parts parts(world);
  auto& decisions = parts.decisions;
  decisions.wait(parts.job("p"), Reason::no_devices, "two");
  decisions.wait(parts.job("g"), Reason::gang_no_room, "");
  decisions.wait(parts.job("p"), Reason::over_fair_share, "three");
  const auto outcomes = decisions.take_outcomes();
  REQUIRE(outcomes.size() == 2);
  CHECK(outcomes[0].job == Uid("uid-p"));
  CHECK(outcomes[0].reason == Reason::over_fair_share);
  CHECK(outcomes[0].detail == "three");
  CHECK(outcomes[1].pods == std::vector<Uid>{Uid("uid-g1")});
}

TEST_CASE("warnings of the placements are told with them") {
  auto world = world_of_two();
  Parts parts(world);
  auto placed = place(parts, "p");
  placed[0].warnings = {"it is slow"};
  placed[0].chosen.among = 12;
  parts.decisions.start(parts.job("p"), placed, parts.overlay.queues());
  const auto& made = *parts.decisions.find(parts.job("p"));
  CHECK(made.detail == "the fullest with room: 2 of 2 gpu were free (of 12 nodes); it is slow");
  CHECK(made.warnings == std::vector<std::string>{"it is slow"});
}

}  // namespace
}  // namespace dray::planner::decisions_test
