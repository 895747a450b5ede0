#include "engine/plan_cycle.h"

#include <catch2/catch.hpp>

#include "dray/cluster/state.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::plan_cycle_test {
namespace {

using namespace std::chrono_literals;

planner::JobOutcome placed_on(const std::string& node) {
  planner::JobOutcome outcome;
  Placement placement;
  placement.node = NodeName(node);
  outcome.placements.push_back(placement);
  return outcome;
}

TEST_CASE("a plan is made once for all that was wanted since the last") {
  PlanCycle cycle;
  CHECK(!cycle.take_turn(start));
  cycle.want();
  cycle.want();
  CHECK(cycle.take_turn(start));
  CHECK(!cycle.take_turn(start));
}

TEST_CASE("one plan is under way at a time; what is wanted meanwhile is planned after it") {
  PlanCycle cycle;
  cycle.want();
  REQUIRE(cycle.take_turn(start));
  const auto generation = cycle.begin(start);
  CHECK(cycle.made() == 1);
  const auto input = std::make_shared<const planner::PlanInput>();
  cycle.under_way(input);
  cycle.want();
  CHECK(!cycle.take_turn(start));
  CHECK(cycle.step({generation, {}}) == input);
  CHECK(cycle.take_turn(start));
}

TEST_CASE("a plan that is not awaited is not taken") {
  PlanCycle cycle;
  const auto generation = cycle.begin(start);
  const auto input = std::make_shared<const planner::PlanInput>();
  CHECK(cycle.step({generation, {}}) == nullptr);
  cycle.under_way(input);
  CHECK(cycle.step({generation + 1, {}}) == nullptr);
  CHECK(cycle.step({generation - 1, {}}) == nullptr);
  SECTION("twice") {
    CHECK(cycle.step({generation, {}}) == input);
    CHECK(cycle.step({generation, {}}) == nullptr);
  }
  SECTION("of another leadership") {
    cycle.reset();
    CHECK(cycle.step({generation, {}}) == nullptr);
    CHECK(cycle.take_turn(start));
    const auto next = cycle.begin(start);
    cycle.under_way(input);
    CHECK(cycle.step({generation, {}}) == nullptr);
    CHECK(cycle.step({next, {}}) == input);
  }
}

TEST_CASE("time alone asks for a plan at the earliest of all times") {
  PlanCycle cycle;
  cycle.want_at(start + 5s);
  cycle.want_at(start + 3s);
  cycle.want_at(start + 4s);
  CHECK(cycle.next_tick() == start + 3s);
  cycle.tick(start + 3s - 1us);
  CHECK(!cycle.take_turn(start));
  cycle.tick(start + 3s);
  CHECK(cycle.take_turn(start));
  CHECK(!cycle.next_tick());
}

TEST_CASE("while a plan is awaited no time asks for another") {
  PlanCycle cycle;
  cycle.want_at(start);
  const auto generation = cycle.begin(start);
  cycle.under_way(std::make_shared<const planner::PlanInput>());
  CHECK(!cycle.next_tick());
  cycle.tick(start + 1h);
  CHECK(cycle.step({generation, {}}));
  CHECK(!cycle.take_turn(start));
  CHECK(cycle.next_tick() == start);
}

TEST_CASE("what comes soon after a plan, or within as long as that took, is planned together") {
  struct Row {
    std::string name;
    Duration took;
    Duration pause;
  };
  const auto row = GENERATE(Row{"a short plan", 3ms, 50ms}, Row{"a long plan", 200ms, 200ms});
  DYNAMIC_SECTION(row.name) {
    PlanCycle cycle(50ms);
    cycle.want();
    REQUIRE(cycle.take_turn(start));
    const auto generation = cycle.begin(start);
    cycle.under_way(std::make_shared<const planner::PlanInput>());
    const auto end = start + row.took;
    REQUIRE(cycle.step({generation, {}}));
    cycle.taken({}, std::nullopt, std::nullopt, end);
    CHECK(!cycle.next_tick());
    cycle.want();
    cycle.want();
    CHECK(!cycle.take_turn(end + row.pause - 1us));
    CHECK(cycle.next_tick() == end + row.pause);
    CHECK(cycle.take_turn(end + row.pause));
    CHECK(!cycle.take_turn(end + row.pause));
    SECTION("a new leader waits for nothing") {
      cycle.reset();
      CHECK(cycle.take_turn(end));
    }
  }
}

TEST_CASE("a plan that was taken says when the next may differ") {
  PlanCycle cycle;
  cycle.want_at(start + 1s);
  planner::Plan plan;
  plan.queues.push_back(
      {.queue = policy::QueueName("q"), .fair_share = {}, .allocated = {}, .requested = {}});
  SECTION("never") {
    cycle.taken(plan, std::nullopt, std::nullopt, start);
    CHECK(!cycle.next_tick());
    CHECK(cycle.queues() == plan.queues);
  }
  SECTION("by itself") {
    plan.again_at = start + 9s;
    cycle.taken(plan, start + 10s, start + 11s, start);
    CHECK(cycle.next_tick() == start + 9s);
  }
  SECTION("by its jobs") {
    plan.again_at = start + 9s;
    cycle.taken(plan, start + 8s, std::nullopt, start);
    CHECK(cycle.next_tick() == start + 8s);
  }
  SECTION("by its disruption budgets") {
    cycle.taken(plan, start + 8s, start + 7s, start);
    CHECK(cycle.next_tick() == start + 7s);
  }
}

TEST_CASE("what a plan hands on is there for the next one, until leadership changes") {
  PlanCycle cycle;
  CHECK(cycle.progress().get() == nullptr);
  planner::Plan plan;
  plan.progress = planner::CarriedProgress(std::make_shared<const planner::Progress>(
      planner::Progress{.plan = 7, .looks = {}, .infeasible = {}}));
  cycle.taken(plan, std::nullopt, std::nullopt, start);
  REQUIRE(cycle.progress().get() != nullptr);
  CHECK(cycle.progress().get()->plan == 7);
  cycle.reset();
  CHECK(cycle.progress().get() == nullptr);
}

TEST_CASE("a plan that its budget ended goes on, at once only where it moved something") {
  struct Row {
    std::string name;
    bool exhausted;
    planner::Plan plan;
    bool at_once;
    bool later;
  };
  planner::Plan with_placement;
  with_placement.jobs.push_back(placed_on("n0"));
  planner::Plan with_hold;
  with_hold.jobs.emplace_back().held = placed_on("n0").placements;
  planner::Plan with_eviction;
  with_eviction.evictions.emplace_back();
  auto lacks_evictions = with_eviction;
  lacks_evictions.ended_by = {planner::BudgetKind::evictions};
  planner::Plan idle;
  idle.jobs.emplace_back();
  const auto row =
      GENERATE_COPY(Row{"not exhausted", false, with_placement, false, false},
                    Row{"a placement", true, with_placement, true, false},
                    Row{"held room", true, with_hold, true, false},
                    Row{"an eviction", true, with_eviction, true, false},
                    Row{"more evictions than a plan may", true, lacks_evictions, false, true},
                    Row{"nothing moved", true, idle, false, true});
  DYNAMIC_SECTION(row.name) {
    PlanCycle cycle;
    auto plan = row.plan;
    plan.exhausted = row.exhausted;
    cycle.go_on_after(plan, start);
    CHECK(cycle.take_turn(start) == row.at_once);
    CHECK((cycle.next_tick() == start + PlanCycle::exhausted_pause) == row.later);
  }
}

/// Two nodes, and a claim, as a plan saw them.
/// A plan in which nobody gets anything; jobs of that many pods.
std::shared_ptr<const planner::Plan> all_wait(const std::vector<std::size_t>& jobs) {
  planner::Plan plan;
  for (const auto pods : jobs) {
    planner::JobOutcome outcome;
    outcome.pods.resize(pods);
    plan.jobs.push_back(outcome);
  }
  return std::make_shared<const planner::Plan>(std::move(plan));
}

TEST_CASE("what is left of a plan is taken in slices, and the next plan waits for the last") {
  PlanCycle cycle;
  cycle.leave_rest(all_wait({9, 30, 30, 200, 1, 1}), 1, start);
  cycle.want();
  std::string sizes;
  while (cycle.has_rest()) {
    CHECK(!cycle.take_turn(start + 1h));
    CHECK(cycle.next_tick() == start);
    sizes += std::to_string(cycle.take_slice().size()) + " ";
    cycle.slice_taken();
  }
  // Two of 30 are enough for a step, one of 200 more than that.
  CHECK(sizes == "2 1 2 ");
  CHECK(cycle.take_turn(start + 1h));
}

TEST_CASE("a plan without a rest leaves none, and another term takes none") {
  PlanCycle cycle;
  cycle.leave_rest(all_wait({1}), 1, start);
  CHECK(!cycle.has_rest());
  cycle.leave_rest(all_wait({1, 1}), 1, start);
  CHECK(cycle.has_rest());
  cycle.reset();
  CHECK(!cycle.has_rest());
}

struct Planned2 {
  cluster::ClusterState cluster;
  planner::JobOutcome outcome = placed_on("n0");
  std::shared_ptr<const cluster::Snapshot> then;

  Planned2() {
    for (const auto* node : {"n0", "n1"}) {
      tell(make_node(node));
      tell(make_gpus(node, 1));
    }
    tell(make_claim("c", 1));
    ClaimPlacement claim;
    claim.claim = {"default", "c"};
    outcome.placements[0].claims.push_back(claim);
    then = cluster.snapshot();
  }
  void tell(const KubeObject& object) { cluster.apply(cluster::ObjectChanged{object}); }
  bool still() { return unmoved(outcome, *then, *cluster.snapshot()); }
  static Pod bound(const std::string& node) {
    auto pod = make_pod("other", "", false);
    pod.node_name = NodeName(node);
    return pod;
  }
};

TEST_CASE("a placement is taken as planned while its node and claims are as they were") {
  Planned2 world;
  CHECK(world.still());
  world.tell(Planned2::bound("n1"));
  CHECK(world.still());
  auto heartbeat = make_node("n0");
  heartbeat.meta.resource_version = ResourceVersion("99");
  world.tell(heartbeat);
  CHECK(world.still());
}

TEST_CASE("a placement is made anew where its node or claims moved") {
  Planned2 world;
  SECTION("a device of the node is taken") {
    auto other = make_claim("other", 1);
    other.allocation = allocation({device_id("n0", "gpu-0")});
    world.tell(other);
  }
  SECTION("the claim is another") {
    auto claim = make_claim("c", 1);
    claim.meta.resource_version = ResourceVersion("11");
    claim.allocation = AllocationResult{};
    world.tell(claim);
  }
  SECTION("the claim was promised devices elsewhere, with another pod that uses it") {
    Placement other;
    other.pod = {"default", "partner"};
    other.pod_uid = Uid("partner");
    other.node = NodeName("n1");
    ClaimPlacement promised;
    promised.claim = {"default", "c"};
    promised.allocation = allocation({device_id("n1", "gpu-0")});
    other.claims.push_back(promised);
    world.cluster.assume(other);
  }
  SECTION("the node is cordoned") {
    auto node = make_node("n0");
    node.unschedulable = true;
    world.tell(node);
  }
  SECTION("the node has a taint") {
    auto node = make_node("n0");
    node.taints.push_back({.key = "k", .value = "", .effect = "NoSchedule"});
    world.tell(node);
  }
  SECTION("the node has less CPU") {
    auto node = make_node("n0");
    node.allocatable["cpu"] = Quantity(1);
    world.tell(node);
  }
  SECTION("another pod takes of the node") {
    world.tell(Planned2::bound("n0"));
  }
  SECTION("the node is gone") {
    world.cluster.apply(cluster::ObjectGone{Kind::node, "", "n0", Uid("uid-n0")});
  }
  SECTION("a class is another, which all allocations depend on") {
    world.tell(make_class());
  }
  CHECK(!world.still());
}

TEST_CASE("a pool that many nodes see makes stale what has devices of it, and nothing else") {
  Planned2 world;
  auto shared = make_gpus("fabric", 2);
  shared.scope = {};
  shared.scope.all_nodes = true;
  world.tell(shared);
  const bool of_it = GENERATE(true, false);
  world.outcome.placements[0].claims[0].allocation =
      allocation({device_id(of_it ? "fabric" : "n0", "gpu-0")});
  world.then = world.cluster.snapshot();
  CHECK(world.still());
  world.tell(Planned2::bound("n1"));
  CHECK(world.still());
  auto other = make_claim("other", 1);
  other.allocation = allocation({device_id("fabric", "gpu-1")});
  world.tell(other);
  CHECK(world.still() != of_it);
}

TEST_CASE("a placement is made anew where another node's part of its pool moved") {
  Planned2 world;
  const auto of_pool = [](const std::string& node, std::int64_t generation) {
    auto slice = make_gpus(node, 1);
    slice.pool = PoolName("p");
    slice.pool_generation = generation;
    slice.pool_slice_count = 2;
    slice.devices[0].name = DeviceName("gpu-of-" + node);
    return slice;
  };
  for (const auto* node : {"n0", "n1"}) world.tell(of_pool(node, 1));
  world.outcome.placements[0].claims[0].allocation = allocation({device_id("p", "gpu-of-n0")});
  world.then = world.cluster.snapshot();
  CHECK(world.still());
  SECTION("a newer generation comes") {
    world.tell(of_pool("n1", 2));
  }
  SECTION("a slice goes: the pool is incomplete") {
    world.cluster.apply(cluster::ObjectGone{Kind::resource_slice, "", "n1-gpus", Uid()});
  }
  SECTION("a pool of all nodes, whose device it has, is of its node alone now") {
    auto shared = of_pool("fabric", 1);
    shared.scope = {};
    shared.scope.all_nodes = true;
    shared.pool = PoolName("f");
    shared.pool_slice_count = 1;
    world.tell(shared);
    world.outcome.placements[0].claims[0].allocation =
        allocation({device_id("f", "gpu-of-fabric")});
    world.then = world.cluster.snapshot();
    CHECK(world.still());
    shared.scope = {};
    shared.scope.node_name = NodeName("n1");
    world.tell(shared);
  }
  CHECK(!world.still());
}

}  // namespace
}  // namespace dray::engine::plan_cycle_test
