#include "planner/plan_maker.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::plan_maker_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

/// One of two members of gang `g` runs, and has for an hour.
Job& stale_gang(World& world) {
  auto& gang = world.gang("g", "x", 2);
  world.member(gang, "g0", 1, "n0", 0);
  world.member(gang, "g1", 1, "n0", 1);
  gang.members[1].state = MemberState::done;
  gang.stale_since = start - 1h;
  return gang;
}

TEST_CASE("a plan reports the cluster and its queues as they were before it") {
  World world;
  world.queue("x", 3);
  world.queue("y", 0);
  world.node("n0", 4);
  world.running("x0", "n0", 0, 1, "x");
  world.waiting("x1", 2, "x");
  const auto made = world.plan();
  const Parts parts(world);
  const auto gpu = parts.gpu();
  REQUIRE(made.total.size() > gpu);
  CHECK(made.total[gpu] == 4);
  const auto x = std::ranges::find(made.queues, policy::QueueName("x"), &QueueReport::queue);
  REQUIRE(x != made.queues.end());
  CHECK(x->allocated[gpu] == 1);
  CHECK(x->requested[gpu] == 3);
  CHECK(x->fair_share[gpu] == 3);
  CHECK(made.queues.size() == parts.begin.queues.queues().size());
}

TEST_CASE("a plan names the stale gangs and when the grace of others ends") {
  World world;
  world.queue("x", 4);
  world.node("n0", 4);
  world.config.gangs.stale_after = 60s;
  auto& gang = stale_gang(world);
  SECTION("ended") {
    const auto made = world.plan();
    CHECK(made.stale == std::vector<StaleGang>{{Uid("uid-g"), start - 1h}});
    CHECK(evicted(made) == Names{"g0"});
    CHECK_FALSE(made.again_at);
  }
  SECTION("in its grace") {
    gang.stale_since = start - 50s;
    const auto made = world.plan();
    CHECK(made.stale == std::vector<StaleGang>{{Uid("uid-g"), start - 50s}});
    CHECK(evicted(made).empty());
    CHECK(made.again_at == start + 10s);
  }
}

TEST_CASE("evictions of stale gangs come beside those that make room") {
  auto world = two_queues(2, 2);
  for (const auto* name : {"n0", "n1"}) world.node(name, 2);
  for (const auto* name : {"n0", "n1"}) {
    world.running(std::string("x-") + name, name, name == std::string("n0") ? 1 : 0, 1, "x");
  }
  world.running("x-more", "n1", 1, 1, "x");
  auto& gang = stale_gang(world);
  gang.members.pop_back();
  world.waiting("y0", 1, "y").priority = 1;
  const auto made = world.plan();
  std::vector<EvictionCause> causes;
  for (const auto& eviction : made.evictions) causes.push_back(eviction.cause);
  CHECK(causes == std::vector{EvictionCause::reclaim, EvictionCause::stale_gang});
}

TEST_CASE("a job whose pods all run has no outcome, whatever its queue") {
  World world;
  world.queue("x", 2);
  world.node("n0", 2);
  world.running("x0", "n0", 0, 1, "x");
  world.running("gone", "n0", 1, 1, "no-such-queue");
  CHECK(world.plan().jobs.empty());
}

TEST_CASE("what keeps a job from starting is its outcome, and it takes no room") {
  World world;
  world.queue("x", 2);
  world.node("n0", 2);
  SECTION("a queue that is not there") {
    world.waiting("p", 1, "no-such-queue");
    const auto made = world.plan();
    CHECK(outcome(made, "p").reason == Reason::queue_missing);
    CHECK(outcome(made, "p").detail == "queue no-such-queue");
    CHECK(placed(made)["p"] == "-");
  }
  SECTION("too few members") {
    world.members(world.gang("g", "x", 3), 2, 1);
    const auto made = world.plan();
    CHECK(outcome(made, "g").reason == Reason::gang_incomplete);
    CHECK(placed(made)["g"] == "-");
  }
  SECTION("a claim that is not there") {
    world.waiting("p", 0, "x", [](Pod& pod) {
      pod.resource_claims = {{.name = "gpu", .claim_name = "no-such", .template_name = {}}};
    });
    const auto made = world.plan();
    CHECK(outcome(made, "p").reason == Reason::claim_missing);
    CHECK(placed(made)["p"] == "-");
  }
}

TEST_CASE("the room of pods that leave is held for who waits, also that of pods without devices") {
  World world;
  world.queue("x", 2);
  const bool devices = GENERATE(true, false);
  world.node("n0", devices ? 1 : 0, [](Node& node) { node.allocatable["pods"] = Quantity(1); });
  world.running("goes", "n0", 0, devices ? 1 : 0, "x").members[0].state = MemberState::leaving;
  world.waiting("p", devices ? 1 : 0, "x");
  CHECK(placed(world.plan())["p"] == "held n0");
}

TEST_CASE("devices of a claim whose pod is gone are held for who waits") {
  World world;
  world.queue("x", 2);
  world.node("n0", 1);
  auto left = allocated_claim("left", "n0");
  world.tell(left);
  world.waiting("p", 1, "x");
  CHECK(placed(world.plan())["p"] == "-");
  world.input.leaving = {{left.key(), NodeName("n0")}};
  CHECK(placed(world.plan())["p"] == "held n0");
  SECTION("nothing is held on a node that is gone") {
    world.input.leaving = {{left.key(), NodeName("n9")}};
    CHECK(placed(world.plan())["p"] == "-");
  }
  SECTION("a claim that is free by now gives nothing more") {
    left.allocation.reset();
    world.tell(left);
    CHECK(placed(world.plan())["p"] == "n0");
  }
}

TEST_CASE("a plan leaves no trace in what the planner keeps for the next one") {
  auto world = two_queues(2, 2);
  world.node("n0", 4);
  world.fill("x", 3, "n0", "x");
  world.running("goes", "n0", 3, 1, "y").members[0].state = MemberState::leaving;
  for (const auto* name : {"y0", "y1", "y2"}) world.waiting(name, 1, "y");
  Planner planner(world.options);
  const auto input = world.make_input();
  const auto first = planner.plan(input);
  CHECK_FALSE(first.evictions.empty());
  CHECK(planner.plan(input) == first);
}

TEST_CASE("a plan is exhausted wherever its budget ended a search") {
  World world;
  world.queue("x", 8);
  for (const auto* name : {"n0", "n1", "n2"}) world.node(name, 1);
  world.waiting("p", 2, "x");
  world.input.budget.nodes_tried = GENERATE(as<std::size_t>(), 2, 100);
  const auto made = world.plan();
  CHECK(made.exhausted == (world.input.budget.nodes_tried == 2));
  CHECK(made.nodes_tried == std::min<std::size_t>(3, world.input.budget.nodes_tried));
}

TEST_CASE("jobs that a bound keeps out are counted, whichever action looked at them") {
  World world;
  world.allow_all_actions();
  world.queue("x", 1).limit["gpu"] = Quantity(1);
  world.queue("y", 1);
  world.node("n0", 2);
  world.running("x0", "n0", 0, 1, "x");
  world.running("y0", "n0", 1, 1, "y");
  world.waiting("x1", 1, "x");
  // Once when it was to be placed, and once each for consolidation and reclaim.
  CHECK(world.plan().refused_early == 3);
}

TEST_CASE("a planner plans by another policy as one that is new would") {
  World world;
  world.queue("x", 1).limit["gpu"] = Quantity(1);
  world.node("n0", 4);
  world.running("x0", "n0", 0, 1, "x");
  world.waiting("x1", 1, "x");
  world.waiting("w0", 1, "w");
  Planner planner(world.options);
  const auto first = world.make_input();
  CHECK(outcome(planner.plan(first), "x1").reason == Reason::queue_limit);
  world.config.queues.clear();
  world.queue("w", 2);
  world.queue("x", 2);
  auto again = world.make_input();
  again.jobs = first.jobs;  // nothing happened to them
  const auto made = planner.plan(again);
  CHECK(placed(made) == std::map<std::string, std::string>{{"w0", "n0"}, {"x1", "n0"}});
  CHECK(made == Planner(world.options).plan(again));
}

}  // namespace
}  // namespace dray::planner::plan_maker_test
