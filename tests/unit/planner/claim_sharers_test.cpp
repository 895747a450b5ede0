#include "planner/evict/claim_sharers.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "planner/evict/reprieve.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::claim_sharers_test {

using namespace worlds;
namespace {

/// A claim by name that has so many GPUs of the node, from `first` on, for these pods in this
/// order.
void share(World& world, const std::string& name, const std::string& node, int first, int gpus,
           const Names& users) {
  auto claim = make_claim(name, gpus);
  auto& allocation = claim.allocation.emplace();
  for (int i = first; i < first + gpus; ++i) {
    auto& device = allocation.devices.emplace_back();
    device.request = "gpu";
    device.device = {DriverName("gpu.example.com"), PoolName(node),
                     DeviceName("gpu-" + std::to_string(i))};
  }
  for (const auto& user : users) {
    claim.reserved_for.push_back(
        {.api_group = {}, .resource = "pods", .name = user, .uid = Uid("uid-" + user)});
  }
  world.tell(claim);
}

Edit<Pod> uses(const std::string& claim) {
  return [claim](Pod& pod) { pod = dray::testing::with_claim(std::move(pod), claim, "shared"); };
}

/// Queue y is owed all four GPUs of the node, which s0 and s1 of queue x share, and w waits there.
World two_share() {
  auto world = two_queues(0, 4);
  world.node("n0", 4);
  share(world, "s", "n0", 0, 4, {"s0", "s1"});
  world.running("s0", "n0", 0, 0, "x", uses("s"));
  world.waiting("w", 4, "y");
  return world;
}

TEST_CASE("pods that share a claim are evicted together") {
  auto world = two_share();
  SECTION("jobs of one pod each") {
    world.running("s1", "n0", 0, 0, "x", uses("s"));
  }
  SECTION("one of them is not preemptible") {
    world.running("s1", "n0", 0, 0, "x", uses("s")).preemptible = false;
  }
  SECTION("one of them has only just begun") {
    world.config.reclaim.min_runtime = std::chrono::minutes(10);
    world.job("s0").started = start - std::chrono::hours(1);
    world.running("s1", "n0", 0, 0, "x", uses("s")).started = start;
  }
  SECTION("one of them was evicted lately") {
    world.running("s1", "n0", 0, 0, "x", uses("s")).evicted = start;
  }
  SECTION("one is of a queue that does not owe anything, and the claim does not count there") {
    world.queue("z", 4);
    world.running("s1", "n0", 0, 0, "z", uses("s"));
  }
  const auto made = world.plan();
  auto pods = evicted(made);
  std::ranges::sort(pods);
  CHECK(pods == Names{"s0", "s1"});
  CHECK(outcome(made, "w").held.size() == 1);
}

TEST_CASE("a gang whose pods share a claim is evicted whole, whatever its minimum") {
  auto world = two_queues(0, 4);
  world.node("n0", 4);
  share(world, "s", "n0", 0, 4, {"g0", "g1"});
  auto& gang = world.gang("g", "x", GENERATE(1, 2));
  world.member(gang, "g0", 0, "n0", 0, uses("s"));
  world.member(gang, "g1", 0, "n0", 0, uses("s"));
  world.waiting("w", 4, "y");
  auto pods = evicted(world.plan());
  std::ranges::sort(pods);
  CHECK(pods == Names{"g0", "g1"});
}

TEST_CASE("what would be left of a gang below its minimum goes as well") {
  auto world = two_share();
  auto& gang = world.gang("g", "x", 2);
  world.member(gang, "s1", 0, "n0", 0, uses("s"));
  world.member(gang, "g1", 0, "n0", 0);
  auto pods = evicted(world.plan());
  std::ranges::sort(pods);
  CHECK(pods == Names{"g1", "s0", "s1"});
}

TEST_CASE("claims tie pods together over several steps") {
  auto world = two_queues(0, 4);
  world.node("n0", 4);
  share(world, "s", "n0", 0, 2, {"s0", "s1"});
  share(world, "t", "n0", 2, 2, {"s1", "s2"});
  world.running("s0", "n0", 0, 0, "x", uses("s"));
  world.running("s1", "n0", 0, 0, "x", [](Pod& pod) {
    pod = dray::testing::with_claim(dray::testing::with_claim(std::move(pod), "s", "s"), "t", "t");
  });
  world.running("s2", "n0", 0, 0, "x", uses("t"));
  world.waiting("w", 2, "y");
  auto pods = evicted(world.plan());
  std::ranges::sort(pods);
  CHECK(pods == Names{"s0", "s1", "s2"});
}

TEST_CASE("a unit stays where one of its pods may not go") {
  auto world = two_share();
  SECTION("the claim counts for a queue that owes nothing") {
    world.queue("z", 4);
    share(world, "s", "n0", 0, 4, {"s1", "s0"});
    world.running("s1", "n0", 0, 0, "z", uses("s"));
  }
  SECTION("a pod of nobody's job uses the claim") {
    static_cast<void>(world.pod("s1", 0, "n0", 0, uses("s")));
  }
  SECTION("a disruption budget lets only one of them go") {
    world.running("s1", "n0", 0, 0, "x", uses("s"));
    world.input.disruption_budgets = {
        {.name = "b", .pods = {Uid("uid-s0"), Uid("uid-s1")}, .allowed = 1}};
  }
  SECTION("the room of the job that waits is its own") {
    auto& gang = world.gang("g", "y", 1);
    world.member(gang, "s1", 0, "n0", 0, uses("s"));
    world.member(gang, "g1", 4);
    world.config.queues[1].quota["gpu"] = Quantity(0);
  }
  CHECK(evicted(world.plan()).empty());
}

TEST_CASE("of a unit nobody goes in preemption who is not preemptible") {
  World world;
  world.allow_all_actions();
  world.config.consolidation.enabled = false;
  world.queue("x", 4);
  world.node("n0", 4);
  share(world, "s", "n0", 0, 4, {"s0", "s1"});
  world.running("s0", "n0", 0, 0, "x", uses("s"));
  const bool preemptible = GENERATE(true, false);
  world.running("s1", "n0", 0, 0, "x", uses("s")).preemptible = preemptible;
  world.waiting("w", 4, "x").priority = 5;
  CHECK(evicted(world.plan()).size() == (preemptible ? 2 : 0));
}

TEST_CASE("of a unit nobody goes for a lower priority") {
  World world;
  world.allow_all_actions();
  world.config.consolidation.enabled = false;
  world.queue("x", 4);
  world.node("n0", 4);
  share(world, "s", "n0", 0, 4, {"s0", "s1"});
  world.running("s0", "n0", 0, 0, "x", uses("s"));
  const auto priority = GENERATE(4, 5, 6);
  world.running("s1", "n0", 0, 0, "x", uses("s")).priority = priority;
  world.waiting("w", 4, "x").priority = 5;
  CHECK(evicted(world.plan()).size() == (priority < 5 ? 2 : 0));
}

TEST_CASE("all pods of a unit stay, or none") {
  auto world = two_queues(0, 4);
  world.config.consolidation.enabled = false;
  world.node("n0", 8);
  share(world, "s", "n0", 0, 4, {"s0", "s1"});
  world.running("s0", "n0", 0, 0, "x", uses("s"));
  world.running("s1", "n0", 0, 0, "x", uses("s"));
  world.running("r", "n0", 4, 4, "x").created = start + std::chrono::seconds(GENERATE(-1, 1));
  world.waiting("w", 4, "y");
  auto pods = evicted(world.plan());
  std::ranges::sort(pods);
  CHECK((pods == Names{"r"} || pods == Names{"s0", "s1"}));
}

TEST_CASE("evicted units count for their queue, and are counted again when they stay") {
  auto world = two_share();
  world.running("s1", "n0", 0, 0, "x", uses("s"));
  Parts parts(world);
  const ClaimSharers sharers(parts.context, parts.memory.jobs());
  auto& first = parts.job("s0");
  auto& second = parts.job("s1");
  CHECK(parts.held("x") == 4);
  const auto before = parts.overlay.mark();
  parts.overlay.evict(first, first.tasks[0]);
  CHECK(parts.overlay.releasing().allocation({"default", "s"}));
  parts.overlay.evict(second, second.tasks[0]);
  CHECK_FALSE(parts.overlay.releasing().allocation({"default", "s"}));
  CHECK(parts.held("x") == 0);
  Reprieve reprieve(parts.context, parts.memory.jobs(), parts.overlay, parts.placer);
  for (auto* job : {&first, &second}) {
    auto* task = &job->tasks[0];
    CHECK(reprieve.stay(*job, std::span(&task, 1)));
  }
  CHECK(parts.overlay.releasing().allocation({"default", "s"}));
  CHECK(parts.held("x") == 4);
  parts.overlay.evict(first, first.tasks[0]);
  CHECK(parts.overlay.releasing().allocation({"default", "s"}));
  parts.overlay.undo(before);
  CHECK(parts.overlay.releasing().allocation({"default", "s"}));
  CHECK(parts.held("x") == 4);
}

TEST_CASE("who goes with a pod is found by claims that a plan can free") {
  auto world = two_share();
  world.running("s1", "n0", 0, 0, "x", uses("s"));
  const bool foreign = GENERATE(false, true);
  if (foreign) {
    share(world, "s", "n0", 0, 4, {"s0", "s1", "other"});
    static_cast<void>(world.pod("other", 0, "n0", 0, uses("s")));
  }
  Parts parts(world);
  const ClaimSharers sharers(parts.context, parts.memory.jobs());
  auto& job = parts.job("s0");
  auto* task = &job.tasks[0];
  job.set_state(*task, policy::TaskState::yielding);
  const auto others = sharers.others_of(job, std::span(&task, 1));
  job.set_state(*task, policy::TaskState::placed);
  CHECK(task->with_sharers == !foreign);
  REQUIRE(others.size() == (foreign ? 0 : 1));
  if (!foreign) CHECK(others[0].tasks == std::vector<Task*>{&parts.task("s1")});
  CHECK(parts.task("s1").state == policy::TaskState::placed);
}

}  // namespace
}  // namespace dray::planner::claim_sharers_test
