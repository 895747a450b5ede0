#include "planner/plan_memory.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::plan_memory_test {

using namespace worlds;
namespace {

TEST_CASE("a plan starts from what queues hold and what the cluster has") {
  World world;
  world.node("n0", 4);
  world.queue("x", 1);
  world.queue("y", 1);
  world.running("r", "n0", 0, 1, "x");
  world.waiting("w", 4, "y");
  Parts parts(world);
  const auto gpu = parts.gpu();
  CHECK(parts.begin.total[gpu] == 4);
  CHECK(parts.begin.queues[parts.queue("x")].allocated[gpu] == 1);
  CHECK(parts.begin.queues[parts.queue("y")].requested[gpu] == 4);
  CHECK(parts.begin.queues[parts.queue("y")].fair_share[gpu] == 3);
}

TEST_CASE("what jobs ask for that are not listed counts for the shares") {
  World world;
  world.node("n0", 4);
  world.queue("x", 0);
  world.queue("y", 0);
  world.waiting("v", 4, "x");
  auto input = world.make_input();
  const auto& resources = input.policy->counting.resources();
  const auto gpu = static_cast<std::size_t>(
      std::ranges::find(resources, "gpu", &policy::Resource::name) - resources.begin());
  policy::Amounts asked(resources.size());
  asked[gpu] = 4;
  input.unlisted = {{policy::QueueName("y"), asked}, {policy::QueueName("nobody"), asked}};
  PlanMemory memory({});
  const auto begin = memory.start(input);
  const auto shares = [&](const char* queue) {
    const auto& of = begin.queues[*begin.queues.find(queue)];
    return std::pair(of.requested[gpu], of.fair_share[gpu]);
  };
  CHECK(shares("x") == std::pair(4.0, 2.0));
  CHECK(shares("y") == std::pair(4.0, 2.0));
}

TEST_CASE("without a policy the open one holds") {
  World world;
  auto input = world.make_input();
  input.policy = nullptr;
  PlanMemory memory({});
  CHECK(memory.policy_of(input).queues.find(policy::default_queue).has_value());
}

TEST_CASE("the allocator follows the policy, and goes back to its own options") {
  World world;
  auto input = world.make_input();
  PlanMemory memory({});
  (void)memory.start(input);
  const auto own = memory.allocator().options().alignment;
  auto changed = *input.policy;
  changed.config.alignment.prefer = {"x.io/root"};
  changed.config.shares = policy::PlacementStrategy::spread;
  auto other = input;
  other.policy = std::make_shared<const policy::Policy>(changed);
  (void)memory.start(other);
  CHECK(memory.allocator().options().shares == alloc::SharePlacement::spread);
  CHECK(memory.allocator().options().alignment.size() == 1);
  (void)memory.start(input);
  CHECK(memory.allocator().options().shares == alloc::SharePlacement::pack);
  CHECK(memory.allocator().options().alignment == own);
}

TEST_CASE("verdicts end with the rules that they were made by") {
  World world;
  world.node("n0", 1);
  world.waiting("w", 1, "a");
  auto input = world.make_input();
  PlanMemory memory({});
  const auto known = [&] {
    (void)memory.start(input);
    const auto& task = memory.jobs().find(Uid("uid-w"))->tasks[0];
    const auto node = *input.snapshot->node(NodeName("n0"));
    auto& verdict = memory.verdicts().at(*task.shape, node, memory.nodes().size());
    const bool before = verdict.stamp == memory.nodes().stamp(node);
    verdict.stamp = memory.nodes().stamp(node);
    return before;
  };
  CHECK_FALSE(known());
  CHECK(known());
  input.policy = std::make_shared<const policy::Policy>(*input.policy);
  CHECK_FALSE(known());
  CHECK(known());
  auto other = make_class();
  other.meta.name = "other";
  world.tell(other);
  input.snapshot = world.state.snapshot();
  CHECK_FALSE(known());
}

}  // namespace
}  // namespace dray::planner::plan_memory_test
