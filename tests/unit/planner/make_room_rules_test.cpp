#include <catch2/catch.hpp>
#include <chrono>

#include "planner/make_room.h"
#include "tests/unit/planner/fixture.h"

// Whom an action serves, in which order, and what it does with room that is left over.

namespace dray::planner::make_room_rules_test {

using namespace std::chrono_literals;
using namespace worlds;
using dray::testing::with_claim;
namespace {

/// Only that action could help who waits.
World world_for(EvictionCause cause) {
  World world;
  world.allow_all_actions();
  world.queue("x", 2);
  world.queue("y", cause == EvictionCause::reclaim ? 2 : 0);
  if (cause == EvictionCause::consolidation) {
    for (const auto* name : {"n0", "n1"}) world.node(name, 2);
    world.running("r0", "n0", 0, 1, "x");
    world.running("r1", "n1", 0, 1, "x");
    world.waiting("p", 2, "x");
    return world;
  }
  world.node("n0", 4);
  world.fill("r", 4, "n0", "x");
  world.waiting("p", 1, cause == EvictionCause::reclaim ? "y" : "x").priority = 1;
  return world;
}

TEST_CASE("each of the three actions is done only where both input and policy allow it") {
  using enum EvictionCause;
  const auto cause = GENERATE(consolidation, reclaim, preemption);
  const auto allowed = GENERATE(as<std::string>(), "both", "input", "policy");
  auto world = world_for(cause);
  auto& actions = world.input.actions;
  if (allowed == "policy") {
    (cause == consolidation ? actions.consolidate
     : cause == reclaim     ? actions.reclaim
                            : actions.preempt) = false;
  }
  if (allowed == "input") {
    (cause == consolidation ? world.config.consolidation.enabled
     : cause == reclaim     ? world.config.reclaim.enabled
                            : world.config.preemption.enabled) = false;
  }
  CAPTURE(name(cause), allowed);
  const auto made = world.plan();
  REQUIRE(made.evictions.size() == (allowed == "both" ? 1 : 0));
  if (allowed == "both") CHECK(made.evictions[0].cause == cause);
}

TEST_CASE("jobs that may not be moved still reclaim and preempt") {
  using enum EvictionCause;
  const auto cause = GENERATE(reclaim, preemption);
  auto world = world_for(cause);
  auto& p = world.waiting("fixed", 1, cause == reclaim ? "y" : "x");
  p.priority = 2;
  p.preemptible = false;
  const auto made = world.plan();
  REQUIRE_FALSE(made.evictions.empty());
  CHECK(made.evictions[0].beneficiary == Uid("uid-fixed"));
}

TEST_CASE("an action looks at no more jobs than the budget says") {
  auto world = world_for(EvictionCause::reclaim);
  world.input.budget.jobs = 1;
  world.waiting("later", 1, "y");
  const auto made = world.plan();
  CHECK(evicted(made).size() == 1);
  CHECK(made.exhausted);
}

TEST_CASE("a gang that has got its minimum in room that is held evicts nobody for more members") {
  auto world = two_queues(1, 3);
  world.node("n0", 4);
  world.fill("x", 3, "n0", "x");
  world.running("goes", "n0", 3, 1, "x").members[0].state = MemberState::leaving;
  world.members(world.gang("g", "y", 1), 2, 1);
  const auto made = world.plan();
  CHECK(outcome(made, "g").held.size() == 1);
  CHECK(evicted(made).empty());
}

TEST_CASE("moving for a job above its queue's share waits only for reclaim that can happen") {
  World world;
  world.allow_all_actions();
  world.queue("a", 4);
  world.queue("b", 4);
  for (const auto* name : {"n0", "n1"}) world.node(name, 4);
  world.running("a0", "n0", 0, 2, "a");
  world.running("a1", "n1", 0, 2, "a");
  world.running("a2", "n1", 2, 1, "a");
  world.waiting("a3", 3, "a");
  world.waiting("b0", 4, "b");
  const auto off = GENERATE(as<std::string>(), "nowhere", "in the input", "in the policy");
  if (off == "in the input") world.input.actions.reclaim = false;
  if (off == "in the policy") world.config.reclaim.enabled = false;
  CAPTURE(off);
  const auto made = world.plan();
  REQUIRE_FALSE(made.evictions.empty());
  CHECK((made.evictions[0].cause == EvictionCause::reclaim) == (off == "nowhere"));
}

TEST_CASE("a claim counts in its queue as long as one of its users runs") {
  World world;
  world.allow_all_actions();
  world.queue("x", 2).limit["gpu"] = Quantity(2);
  world.node("n0", 4);
  auto shared = allocated_claim("shared", "n0");
  for (const auto* user : {"partner", "owner"}) {
    shared.reserved_for.push_back(testing::consumer(user, Uid(std::string("uid-") + user)));
  }
  world.tell(shared);
  const auto uses_it = [](Pod& pod) {
    pod.resource_claims = with_claim({}, "shared").resource_claims;
  };
  auto& partner = world.running("partner", "n0", 0, 0, "x", uses_it);
  world.running("owner", "n0", 0, 0, "x", uses_it).preemptible = false;
  world.running("small", "n0", 1, 1, "x");
  world.waiting("large", 2, "x").priority = 1;
  SECTION("evicting the first of them makes no room for others") {
    CHECK(world.plan().evictions.empty());
  }
  SECTION("nor does its leaving") {
    partner.members[0].state = MemberState::leaving;
  }
  CHECK(outcome(world.plan(), "large").reason == Reason::queue_limit);
}

TEST_CASE("only who waits for room is told that its queue is above its share") {
  World world;
  world.allow_all_actions();
  world.queue("x", 1).limit["gpu"] = Quantity(1);
  world.queue("y", 0);
  world.node("n0", 2);
  world.running("x0", "n0", 0, 1, "x");
  world.running("y0", "n0", 1, 1, "y");
  world.waiting("x1", 1, "x");
  CHECK(outcome(world.plan(), "x1").reason == Reason::queue_limit);
}

TEST_CASE("a search that failed for one job says nothing of one that may evict others") {
  auto world = reclaimed_from();
  world.waiting("x1", 1, "x");
  const auto made = world.plan();
  REQUIRE(made.evictions.size() == 1);
  CHECK(made.evictions[0].beneficiary == Uid("uid-x1"));
}

TEST_CASE("a search that failed for one gang says nothing of another") {
  World world;
  world.allow_all_actions();
  world.config.topology = {"zone"};
  world.queue("x", 0);
  world.queue("y", 4);
  for (const auto* name : {"n0", "n1"}) {
    world.node(name, 1, [&](Node& node) { node.meta.labels["zone"] = name; });
    world.running(std::string("x-") + name, name, 0, 1, "x");
  }
  auto& strict = world.gang("g0", "y", 2);
  strict.gang.topology.required = "zone";
  world.members(strict, 2, 1);
  world.members(world.gang("g1", "y", 2), 2, 1);
  const auto made = world.plan();
  CHECK(placed(made)["g0"] == "-");
  CHECK(placed(made)["g1"] == "held n0 held n1");
}

/// Queue x runs two jobs of two GPUs; y is owed all four.
World two_big_victims() {
  auto world = two_queues(0, 4);
  world.node("n0", 4);
  world.running("x0", "n0", 0, 2, "x");
  world.running("x1", "n0", 2, 2, "x");
  for (const auto* name : {"y0", "y1"}) world.waiting(name, 1, "y");
  return world;
}

TEST_CASE("what one job's victims left over goes to the next before anybody else is evicted") {
  auto world = two_big_victims();
  const auto made = world.plan();
  CHECK(evicted(made) == Names{"x1"});
  CHECK(placed(made) == std::map<std::string, std::string>{{"y0", "held n0"}, {"y1", "held n0"}});
  CHECK(outcome(made, "y1").reason == Reason::room_freed);
}

TEST_CASE("what is left over goes to nobody beyond its queue's limit") {
  auto world = two_big_victims();
  world.config.queues[1].limit["gpu"] = Quantity(1);
  const auto made = world.plan();
  CHECK(placed(made) == std::map<std::string, std::string>{{"y0", "held n0"}, {"y1", "-"}});
}

TEST_CASE("what is left over is tried again for the kind that failed before somebody was evicted") {
  auto world = two_queues(0, 4);
  world.node("n0", 4);
  world.running("x0", "n0", 0, 4, "x").priority = 0;
  world.waiting("y0", 1, "y");
  world.waiting("y1", 1, "y");
  world.waiting("y2", 2, "y");
  const auto made = world.plan();
  CHECK(evicted(made) == Names{"x0"});
  for (const auto* name : {"y0", "y1", "y2"}) CHECK(placed(made)[name] == "held n0");
}

TEST_CASE("an evicted gang is one eviction, however its members were taken") {
  auto world = two_queues(0, 3);
  world.node("n0", 3);
  auto& gang = world.gang("g", "x", 1);
  for (int i = 0; i < 3; ++i) world.member(gang, "g" + std::to_string(i), 1, "n0", i);
  world.waiting("y0", 3, "y");
  const auto made = world.plan();
  REQUIRE(made.evictions.size() == 1);
  CHECK(made.evictions[0].pods.size() == 3);
}

TEST_CASE("nobody is evicted who would move to room that its own gang has taken") {
  // g0 has just been given all of n2, and y0 would have g1 move there as well.
  auto world = two_queues(6, 3);
  int at = 0;
  for (const int gpus : {2, 3, 2, 1, 1}) world.node("n" + std::to_string(at++), gpus);
  auto& gang = world.gang("g", "x", 3);
  world.member(gang, "g0", 2);
  world.member(gang, "g1", 2, "n1");
  world.member(gang, "g2", 2, "n0");
  world.waiting("y0", 3, "y");
  const auto made = world.plan();
  CHECK(evicted(made).empty());
  CHECK(placed(made) == std::map<std::string, std::string>{{"g", "n2"}, {"y0", "-"}});
}

TEST_CASE("a pod that is promised room keeps it, and the others of its gang do not for its sake") {
  // v goes for s1. Nobody who runs but s0 is below p: with its room g0 goes on elsewhere.
  auto world = two_queues(8, 0);
  world.node("n0", 4);
  world.node("n1", 4);
  auto& other = world.gang("v", "y", 2);
  world.member(other, "v0", 1, "n0", 0);
  world.member(other, "v1", 1, "n1", 0);
  world.running("old", "n1", 1, 2, "x");
  auto& gang = world.gang("g", "x", 3);
  gang.created = start + 1s;
  world.member(gang, "g0", 1, "n1", 3);
  world.member(gang, "g1", 1, "n0", 1);
  world.member(gang, "g2", 1, "n0", 2);
  auto& grows = world.gang("s", "x", 1);
  grows.created = start + 2s;
  world.member(grows, "s0", 1, "n0", 3);
  world.member(grows, "s1", 1);
  world.waiting("p", 2, "x").priority = 1;
  const auto made = world.plan();
  CHECK(placed(made)["p"] == "held n1");
  CHECK(placed(made)["s"] == "held n0");
  std::map<std::string, std::size_t> lost;
  for (const auto& eviction : made.evictions) {
    lost[eviction.job.get().substr(4)] = eviction.pods.size() - eviction.moved.size();
  }
  CHECK(lost == std::map<std::string, std::size_t>{{"g", 0}, {"s", 1}, {"v", 2}});
}

/// r1 moves for `late`, which then is on a node of its own; old runs on a third.
World moved_for_late() {
  World world;
  world.allow_all_actions();
  world.queue("x", 8);
  for (const auto* name : {"n0", "n1", "n2"}) world.node(name, 2);
  world.running("r0", "n0", 0, 1, "x");
  world.running("r1", "n1", 0, 1, "x");
  world.running("old", "n2", 0, 2, "x");
  auto& late = world.waiting("late", 2, "x");
  late.created = late.queued = start + 1s;
  return world;
}

TEST_CASE(
    "who moves for a job moves for a higher priority of its queue before anybody is evicted") {
  auto world = moved_for_late();
  const auto alone = world.plan();
  REQUIRE(alone.evictions.size() == 1);
  CHECK(alone.evictions[0].beneficiary == Uid("uid-late"));
  auto& first = world.waiting("first", 2, "x");
  first.preemptible = false;
  first.priority = 1;
  const auto made = world.plan();
  REQUIRE(made.evictions.size() == 1);
  CHECK(made.evictions[0].job == alone.evictions[0].job);
  CHECK(made.evictions[0].moved == alone.evictions[0].moved);
  CHECK(made.evictions[0].beneficiary == Uid("uid-first"));
  CHECK(made.evictions[0].detail ==
        "default/" + evicted(made)[0] + " of queue x makes room for default/first of queue x");
  CHECK(placed(made)["first"] == placed(alone)["late"]);
  CHECK(outcome(made, "late").held.empty());
  CHECK(outcome(made, "late").reason == Reason::room_kept);
}

TEST_CASE("who moves for a job, and who is evicted besides, go for the same job in the end") {
  auto world = moved_for_late();
  auto& old = world.job("old");
  old.created = old.queued = start + 1s;
  auto& gang = world.gang("g", "x", 2);
  gang.priority = 1;
  world.members(gang, 2, 2);
  const auto made = world.plan();
  CHECK(placed(made)["g"].size() == std::string("held n0 held n0").size());
  CHECK(placed(made)["late"] == "-");
  REQUIRE(made.evictions.size() == 2);
  CHECK(made.evictions[0].cause == EvictionCause::consolidation);
  CHECK(made.evictions[1].job == Uid("uid-old"));
  for (const auto& eviction : made.evictions) CHECK(eviction.beneficiary == Uid("uid-g"));
}

/// r0 and r1 each on one of two GPUs of a node; `first` needs a node, and so one of both moves.
World moved_for_first() {
  World world;
  world.allow_all_actions();
  world.queue("x", 8);
  world.node("n0", 2);
  world.node("n1", 2);
  world.running("r0", "n0", 0, 1, "x");
  world.running("r1", "n1", 0, 1, "x");
  world.waiting("first", 2, "x").priority = 2;
  return world;
}

TEST_CASE("who has moved for one job goes for another of a higher priority") {
  auto world = moved_for_first();
  const auto alone = world.plan();
  REQUIRE(alone.evictions.size() == 1);
  CHECK(alone.evictions[0].moved.size() == 1);
  world.waiting("second", 2, "x").priority = 1;
  const auto made = world.plan();
  CHECK(outcome(made, "first").held.size() == 1);
  CHECK(outcome(made, "second").held.size() == 1);
  REQUIRE(made.evictions.size() == 2);
  CHECK(made.evictions[0].pods == alone.evictions[0].pods);
  for (const auto& eviction : made.evictions) {
    CHECK(eviction.pods.size() == 1);
    CHECK(eviction.moved.empty());
  }
  CHECK(made.evictions[0].beneficiary == Uid("uid-first"));
  CHECK(made.evictions[1].beneficiary == Uid("uid-second"));
}

TEST_CASE("who moves twice in a plan is evicted once, and has its last place") {
  auto world = moved_for_first();
  world.node("n2", 2);
  world.running("r2", "n2", 0, 1, "x").preemptible = false;
  world.waiting("second", 2, "x").priority = 1;
  const auto made = world.plan();
  CHECK(outcome(made, "first").held.size() == 1);
  CHECK(outcome(made, "second").held.size() == 1);
  std::vector<std::string> to;
  for (const auto& eviction : made.evictions) {
    CHECK(eviction.pods.size() == 1);
    for (const auto& placement : eviction.moved) to.push_back(placement.node.get());
  }
  CHECK(evicted(made).size() == 2);
  CHECK(to == Names{"n2"});
}

}  // namespace
}  // namespace dray::planner::make_room_rules_test
