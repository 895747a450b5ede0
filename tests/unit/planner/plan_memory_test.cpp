#include "planner/plan_memory.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
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
    auto& verdict = memory.verdicts().at(*task.shape, node);
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

/// Nodes and jobs that come, go and change, and now and then other rules.
class Changing {
 public:
  explicit Changing(unsigned seed) : random_(seed) {
    for (const auto* queue : {"a", "b"}) world_.queue(queue, 1);
    for (int i = 0; i < 40; ++i) world_.node("n" + std::to_string(i), 4);
    for (int i = 0; i < 60; ++i) add();
    change_rules();
  }

  void change() {
    const auto dice = random_() % 8;
    if (dice == 0) {
      world_.node("more" + std::to_string(count_++), 4);
    } else if (dice == 1) {
      change_rules();
    } else if (dice == 2) {
      auto node = make_node("n" + std::to_string(random_() % 40));
      node.unschedulable = random_() % 2 == 0;
      world_.tell(node);
    } else {
      add();
    }
  }
  PlanInput input() {
    auto made = world_.make_input();
    made.policy = rules_;
    return made;
  }

 private:
  void add() {
    const auto name = "j" + std::to_string(count_++);
    const auto* queue = random_() % 2 == 0 ? "a" : "b";
    if (random_() % 3 == 0) {
      world_.waiting(name, 1 + static_cast<int>(random_() % 4), queue);
    } else {
      world_.running(name, "n" + std::to_string(random_() % 40), static_cast<int>(random_() % 4), 1,
                     queue);
    }
  }
  void change_rules() { rules_ = world_.make_input().policy; }

  World world_;
  std::mt19937 random_;
  std::shared_ptr<const policy::Policy> rules_;
  int count_ = 0;
};

TEST_CASE("what was read ahead, and whatever changed since, makes no other plan") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Changing world(seed);
    std::mt19937 random(seed);
    Planner planner;
    auto early = world.input();
    for (int round = 0; round < 15; ++round) {
      CAPTURE(seed, round);
      for (auto slices = random() % 12; slices > 0; --slices) {
        static_cast<void>(planner.read_ahead(world.input(), 1 + random() % 20));
        if (random() % 3 == 0) world.change();
      }
      // Of now, or of before some of what was read.
      const auto input = random() % 4 == 0 ? early : world.input();
      auto made = planner.plan(input);
      auto anew = Planner().plan(input);
      made.nodes_tried = anew.nodes_tried = 0;  // what is remembered saves work
      REQUIRE(made == anew);
      early = world.input();
      world.change();
    }
  }
}

TEST_CASE("a slice reads no more than it may, and after the last the plan has little to read") {
  World world;
  constexpr std::size_t nodes = 300;
  constexpr std::size_t jobs = 500;
  world.queue("a", 0);
  for (std::size_t i = 0; i < nodes; ++i) world.node("n" + std::to_string(i), 1);
  for (std::size_t i = 0; i < jobs; ++i) world.waiting("w" + std::to_string(i), 1, "a");
  const auto input = world.make_input();
  PlanMemory memory({});
  const auto read = [&] { return memory.nodes().nodes_read() + memory.jobs().jobs_read(); };
  constexpr std::size_t most = 64;
  std::size_t before = 0;
  int slices = 0;
  for (bool more = true; more; ++slices) {
    more = memory.read_ahead(input, most);
    // A part of a chunk is looked at again with what comes to it.
    CHECK(read() - before <= most + 2 * JobList::chunk_size);
    before = read();
    REQUIRE(slices < 20);
  }
  CHECK(slices >= static_cast<int>((nodes + jobs) / most) - 1);
  const auto claims = memory.jobs().claims_read();
  static_cast<void>(memory.start(input));
  CHECK(memory.jobs().claims_read() - claims <= most);
}

TEST_CASE("the allocator's work counts on where another one follows the policy") {
  World world;
  world.node("n0", 2);
  world.waiting("p", 1, "a");
  Planner planner(world.options);
  CHECK(planner.allocator_counts().calls == 0);
  const auto first = planner.plan(world.make_input());
  const auto before = planner.allocator_counts();
  REQUIRE(first.jobs.size() == 1);
  CHECK(before.calls >= before.searches);
  CHECK(before.searches > 0);
  CHECK(before.steps > 0);
  world.config.alignment.require = {"example.com/root"};
  const auto second = planner.plan(world.make_input());
  REQUIRE(second.jobs.size() == 1);
  const auto after = planner.allocator_counts();
  CHECK(after.calls > before.calls);
  CHECK(after.steps > before.steps);
}

}  // namespace
}  // namespace dray::planner::plan_memory_test
