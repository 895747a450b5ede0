#include "planner/make_room.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::make_room_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

TEST_CASE("a queue below its share reclaims from one above, up to both shares") {
  auto world = full_node();
  for (const auto* name : {"y0", "y1", "y2"}) world.waiting(name, 1, "y");
  const auto made = world.plan();
  CHECK(evicted(made) == Names{"x3", "x2"});
  CHECK(placed(made) ==
        std::map<std::string, std::string>{{"y0", "held n0"}, {"y1", "held n0"}, {"y2", "-"}});
  CHECK(made.evictions[0].cause == EvictionCause::reclaim);
  CHECK(made.evictions[0].beneficiary == Uid("uid-y0"));
  CHECK(made.evictions[0].detail == "default/x3 of queue x makes room for default/y0 of queue y");
  CHECK(outcome(made, "y2").reason == Reason::over_fair_share);
}

TEST_CASE("a pod of a gang that is evicted is not promised what its gang leaves") {
  auto world = two_queues(0, 2);
  world.node("n0", 3);
  auto& gang = world.gang("e", "x", GENERATE(3, 1));
  for (int i = 0; i < 3; ++i) world.member(gang, "e" + std::to_string(i), 1, "n0", i);
  world.member(gang, "e3", 1);
  auto& taker = world.gang("t", "y", 2);
  world.members(taker, 2, 1);
  const auto made = world.plan();
  CHECK(placed(made)["t"] == "held n0 held n0");
  CHECK(placed(made)["e"] == "-");
}

/// Queue y is owed the one GPU that x0 of queue x runs on.
World one_victim() {
  auto world = two_queues(0, 1);
  world.node("n0", 1);
  world.running("x0", "n0", 0, 1, "x");
  world.waiting("y0", 1, "y");
  return world;
}

TEST_CASE("a gang that needs parts of one device gets the one that a pod has whole") {
  World world;
  world.allow_all_actions();
  world.queue("x", 0);
  world.node("n0", 0);
  auto gpus = make_gpus("n0", 1);
  gpus.devices[0].allow_multiple_allocations = true;
  gpus.devices[0].capacity["memory"] = {.value = Quantity(4), .request_policy = {}};
  world.tell(gpus);
  world.running("whole", "n0", 0, 1, "x").priority = -1;
  auto& gang = world.gang("g", "x", 2);
  for (const std::string name : {"g0", "g1"}) {
    world.member(gang, name, 1);
    auto part = make_claim("c-" + name, 1, name);
    part.spec.requests[0].exactly->capacity_requests["memory"] = Quantity(2);
    world.tell(part);
  }
  const auto made = world.plan();
  CHECK(evicted(made) == Names{"whole"});
  CHECK(placed(made)["g"] == "held n0 held n0");
}

TEST_CASE("what is not preemptible is no victim") {
  auto world = one_victim();
  world.job("x0").preemptible = GENERATE(true, false);
  CHECK(evicted(world.plan()).size() == (world.job("x0").preemptible ? 1 : 0));
}

TEST_CASE("what has run shorter than the minimum is no victim yet") {
  auto world = one_victim();
  world.config.reclaim.min_runtime = 10min;
  world.job("x0").started = start - 9min;
  const auto made = world.plan();
  CHECK(evicted(made).empty());
  CHECK(made.again_at == start + 1min);
  world.job("x0").started = start - 10min;
  CHECK(evicted(world.plan()) == Names{"x0"});
}

TEST_CASE("what was evicted lately is no victim until its cool-down is over") {
  auto world = one_victim();
  world.config.budgets.victim_cooldown = 10min;
  world.job("x0").evicted = start - 9min;
  CHECK(evicted(world.plan()).empty());
  world.job("x0").evicted = start - 10min;
  CHECK(evicted(world.plan()) == Names{"x0"});
}

TEST_CASE("higher priority preempts lower within a queue, unless it must not or may not yet") {
  World world;
  world.allow_all_actions();
  world.queue("x", 2);
  world.node("n0", 2);
  world.running("low", "n0", 0, 1, "x").priority = 1;
  world.running("mid", "n0", 1, 1, "x").priority = 2;
  auto& high = world.waiting("high", 1, "x");
  high.priority = GENERATE(1, 2, 3);
  const auto which = GENERATE(0, 1, 2);
  if (which == 1) high.may_evict = false;
  if (which == 2) high.evict_delay = 5min;
  const auto made = world.plan();
  CAPTURE(high.priority, which);
  CHECK(evicted(made) == (high.priority > 1 && which == 0 ? Names{"low"} : Names{}));
  if (!made.evictions.empty()) CHECK(made.evictions[0].cause == EvictionCause::preemption);
  if (which == 2) CHECK(made.again_at == start + 5min);
}

TEST_CASE("a delay before taking room counts from the last eviction") {
  World world;
  world.allow_all_actions();
  world.queue("x", 2);
  world.node("n0", 1);
  world.running("low", "n0", 0, 1, "x").priority = 1;
  auto& high = world.waiting("high", 1, "x");
  high.priority = 2;
  high.created = start - 1h;
  high.evict_delay = 5min;
  CHECK(evicted(world.plan()) == Names{"low"});
  high.evicted = start - 4min;
  CHECK(evicted(world.plan()).empty());
  CHECK(world.plan().again_at == start + 1min);
  high.evicted = start - 5min;
  CHECK(evicted(world.plan()) == Names{"low"});
}

TEST_CASE("consolidation moves jobs so that another fits, and only moves") {
  World world;
  world.allow_all_actions();
  world.queue("x", 8);
  for (const auto* name : {"n0", "n1"}) world.node(name, 2);
  world.running("r0", "n0", 0, 1, "x");
  world.running("r1", "n1", 0, 1, "x");
  auto& big = world.waiting("big", 2, "x");
  SECTION("moved") {
    const auto made = world.plan();
    REQUIRE(made.evictions.size() == 1);
    CHECK(made.evictions[0].cause == EvictionCause::consolidation);
    CHECK(made.evictions[0].moved.size() == 1);
    CHECK(outcome(made, "big").held.size() == 1);
  }
  SECTION("not for one that cannot be moved itself") {
    big.preemptible = false;
    CHECK(evicted(world.plan()).empty());
  }
  SECTION("not above the queue's limit") {
    world.config.queues[0].limit["gpu"] = Quantity(3);
    CHECK(evicted(world.plan()).empty());
  }
  SECTION("not where it is off") {
    world.config.consolidation.enabled = false;
    CHECK(evicted(world.plan()).empty());
  }
}

TEST_CASE("who waits for room that is held evicts nobody") {
  auto world = full_node();
  world.node("n1", 1);
  world.running("goes", "n1", 0, 1, "x").members[0].state = MemberState::leaving;
  world.waiting("y0", 1, "y");
  const auto made = world.plan();
  CHECK(evicted(made).empty());
  CHECK(placed(made)["y0"] == "held n1");
}

TEST_CASE("what this plan placed for one queue goes to another that is owed it") {
  auto world = two_queues(0, 3);
  world.node("n0", 4);
  for (const int i : {0, 1}) world.running("r" + std::to_string(i), "n0", i, 1, "x");
  world.waiting("x0", 1, "x");
  auto& gang = world.gang("g", "y", 3);
  world.members(gang, 3, 1);
  const auto made = world.plan();
  CHECK(evicted(made) == Names{"r1"});
  CHECK(outcome(made, "g").held.size() == 3);
  CHECK(outcome(made, "x0").placements.empty());
  CHECK(outcome(made, "x0").reason == Reason::room_kept);
  CHECK(outcome(made, "x0").detail == "its room goes to default/g");
}

TEST_CASE("what this plan placed goes elsewhere at once, or when others are gone") {
  auto world = two_queues(0, 3);
  world.config.consolidation.enabled = false;
  world.queue("z", 2);
  for (const auto* name : {"n0", "n1"}) world.node(name, name == std::string("n0") ? 4 : 2);
  for (const int i : {0, 1}) world.running("r" + std::to_string(i), "n0", i, 1, "x");
  world.waiting("x0", 1, "x", [](Pod& pod) { pod.nominated_node = NodeName("n0"); });
  world.waiting("y0", 3, "y");
  const bool idle = GENERATE(true, false);
  if (!idle) world.running("goes", "n1", 0, 2, "z").members[0].state = MemberState::leaving;
  auto places = placed(world.plan());
  CHECK(places["y0"] == "held n0");
  CHECK(places["x0"] == (idle ? "n1" : "held n1"));
}

TEST_CASE("what runs moves to the room of what the same plan has just placed") {
  World world;
  world.allow_all_actions();
  world.queue("x", 3);
  world.node("n0", 2);
  world.node("n1", 1);
  world.running("runs", "n0", 0, 1, "x");
  auto& later =
      world.waiting("waits", 1, "x", [](Pod& pod) { pod.nominated_node = NodeName("n1"); });
  later.created = later.queued = start + 1s;
  world.waiting("first", 2, "x").priority = 1;
  const auto made = world.plan();
  REQUIRE(made.evictions.size() == 1);
  CHECK(evicted(made) == Names{"runs"});
  CHECK(made.evictions[0].moved.size() == 1);
  CHECK(outcome(made, "waits").reason == Reason::room_kept);
  CHECK(placed(made)["first"] == "held n0");
}

TEST_CASE("what this plan placed and has moved once loses its room before anybody who runs") {
  World world;
  world.allow_all_actions();
  world.queue("x", 9);
  for (const auto* name : {"n0", "n1", "n2", "n3"}) world.node(name, 2);
  auto& low = world.gang("low", "x", 2);
  world.member(low, "low0", 1, "n1");
  world.member(low, "low1", 1, "n2");
  auto& old = world.gang("old", "x", 2);
  old.priority = 1;
  world.member(old, "old0", 1, "n3", 0);
  world.member(old, "old1", 1, "n3", 1);
  auto& mid = world.running("mid", "n0", 0, 2, "x");
  mid.priority = 1;
  mid.created = mid.queued = start + 1s;
  auto& anew = world.gang("anew", "x", 2);
  anew.priority = 1;
  anew.created = anew.queued = start + 2s;
  world.members(anew, 2, 1);
  world.waiting("first", 2, "x").priority = 2;
  auto& second = world.gang("second", "x", 4);
  second.priority = 2;
  second.created = second.queued = start + 1s;
  world.members(second, 4, 1);
  const auto made = world.plan();
  CHECK(evicted(made) == Names{"low1", "low0", "mid"});
  CHECK(outcome(made, "second").held.size() == 4);
  CHECK(outcome(made, "anew").held.empty());
}

TEST_CASE("the budgets of jobs and scenarios end making room, and it says so") {
  auto world = full_node();
  world.waiting("y0", 1, "y");
  world.waiting("y1", 1, "y");
  SECTION("scenarios") {
    world.config.consolidation.enabled = false;
    world.input.budget.scenarios = 1;
    const auto made = world.plan();
    CHECK(made.scenarios == 1);
    CHECK(made.exhausted);
    CHECK(evicted(made).size() == 1);
  }
  SECTION("evictions") {
    world.input.budget.evictions = 1;
    const auto made = world.plan();
    CHECK(evicted(made) == Names{"x3"});
    CHECK(made.exhausted);
  }
  SECTION("of a queue") {
    world.config.budgets.evictions_per_queue = 1;
    const auto made = world.plan();
    CHECK(evicted(made) == Names{"x3"});
    CHECK(made.exhausted);
  }
}

TEST_CASE("a gang above the budget of evictions is evicted whole") {
  auto world = two_queues(0, 4);
  world.node("n0", 4);
  auto& gang = world.gang("g", "x", 4);
  for (int i = 0; i < 4; ++i) world.member(gang, "g" + std::to_string(i), 1, "n0", i);
  world.waiting("y0", 4, "y");
  const auto budget = GENERATE(0U, 1U, 3U, 4U);
  const bool of_queue = GENERATE(false, true);
  if (of_queue) {
    world.config.budgets.evictions_per_queue = static_cast<std::int32_t>(budget);
  } else {
    world.input.budget.evictions = budget;
  }
  CHECK(evicted(world.plan()).size() == (budget == 0 ? 0 : 4));
}

TEST_CASE("a set within the budget of evictions comes before a larger one") {
  auto world = two_queues(0, 4);
  world.node("n0", 4);
  world.node("n1", 4);
  auto& gang = world.gang("g", "x", 4);
  gang.created = start + std::chrono::seconds(1);
  for (int i = 0; i < 4; ++i) world.member(gang, "g" + std::to_string(i), 1, "n0", i);
  world.running("r", "n1", 0, 4, "x");
  world.waiting("y0", 4, "y");
  world.config.consolidation.enabled = false;
  world.input.budget.evictions = 3;
  CHECK(evicted(world.plan()) == Names{"r"});
}

TEST_CASE("nobody is evicted for a job while evictions for it are paused") {
  auto world = two_queues(0, 4);
  world.config.consolidation.enabled = false;
  world.node("n0", 4);
  world.fill("x", 4, "n0", "x");
  const auto until = start + GENERATE(0s, 1s);
  world.waiting("y0", 4, "y").evictions_paused_until = until;
  const auto made = world.plan();
  if (until == start) {
    CHECK(evicted(made).size() == 4);
    return;
  }
  CHECK(evicted(made).empty());
  CHECK(made.again_at == until);
  CHECK_THAT(outcome(made, "y0").detail, Catch::Contains("no other job is evicted for it"));
}

TEST_CASE("a pod disruption budget keeps pods from being victims") {
  auto world = full_node();
  world.waiting("y0", 1, "y");
  world.waiting("y1", 1, "y");
  world.input.disruption_budgets = {
      {.name = "b", .pods = {Uid("uid-x1"), Uid("uid-x2"), Uid("uid-x3")}, .allowed = 1}};
  CHECK(evicted(world.plan()) == Names{"x3", "x0"});
}

TEST_CASE("of many jobs of one kind that cannot be helped one is searched for") {
  auto world = full_node();
  world.config.queues[1].quota["gpu"] = Quantity(4);
  world.config.queues[0].quota["gpu"] = Quantity(0);
  for (int i = 0; i < 5; ++i) world.waiting("big" + std::to_string(i), 3, "y");
  world.input.disruption_budgets = {
      {.name = "b", .pods = {Uid("uid-x2"), Uid("uid-x3")}, .allowed = 1}};
  const auto five = world.plan();
  CHECK(evicted(five).empty());
  auto alone = full_node();
  alone.config.queues = world.config.queues;
  alone.input.disruption_budgets = world.input.disruption_budgets;
  alone.waiting("big0", 3, "y");
  CHECK(five.scenarios == alone.plan().scenarios);
}

TEST_CASE("nobody reclaims back what was reclaimed from it") {
  auto world = reclaimed_from();
  const auto made = world.plan();
  CHECK(evicted(made).empty());
  CHECK(made.again_at == start + 1h);
  world.job("x0").evicted_for.clear();
  CHECK(evicted(world.plan()).size() == 1);
}

}  // namespace
}  // namespace dray::planner::make_room_test
