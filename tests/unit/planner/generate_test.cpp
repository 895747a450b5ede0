#include "planner/evict/generate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "planner/evict/victim_candidates.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::generate_test {

using namespace worlds;
namespace {

/// All scenarios for a job, each as the names of its victims.
struct Generating {
  Parts parts;
  JobOrder order;
  EvictionBudget budget;
  VictimValidator validator;
  VictimCandidates candidates;
  std::vector<std::uint32_t> chunk;
  Attempt attempt;
  ScenarioGenerator generator;

  Generating(World& world, const std::string& job, Action action)
      : parts(world),
        order(parts.order()),
        budget(parts.context),
        validator(parts.context, parts.decisions, budget, false),
        candidates(parts.context, parts.memory.jobs()),
        chunk(parts.job(job).next_chunk()),
        attempt{.job = parts.job(job),
                .chunk = chunk,
                .counts = parts.job(job).counts_of(chunk, parts.begin.queues.resources()),
                .action = action,
                .protected_beneficiaries = {}},
        generator(parts.context, attempt, parts.decisions.queues(), order,
                  candidates.by_queue(order), candidates.sharers(), validator,
                  VictimCapacity(parts.context, parts.overlay, parts.placer.fit(), attempt)) {}

  std::string next(bool stop = false) {
    const auto scenario = generator.next(stop);
    if (!scenario) return "-";
    std::string names;
    for (const auto place : *scenario) {
      for (const auto* task : generator.found()[place].tasks) names += task->pod().meta.name + " ";
    }
    return names;
  }
};

/// Jobs of queue x run one by one on nodes of a plugin's GPUs; queue y is owed all.
World world_of(const std::vector<std::pair<std::string, std::int64_t>>& nodes) {
  World world;
  world.allow_all_actions();
  world.config.resources[0].rules[0].device_class = ClassName();
  world.config.resources[0].rules[0].node_resource = "nvidia.com/gpu";
  world.queue("x", 0);
  std::int64_t total = 0;
  for (const auto& [name, gpus] : nodes) {
    world.node(name, 0, [&](Node& node) { node.allocatable["nvidia.com/gpu"] = Quantity(gpus); });
    total += gpus;
  }
  world.queue("y", total);
  return world;
}
Edit<Pod> asks(std::int64_t gpus) {
  return [=](Pod& pod) { pod.containers[0].requests["nvidia.com/gpu"] = Quantity(gpus); };
}

TEST_CASE("for one pod the victims of one node, as soon as they may be enough") {
  auto world = world_of({{"a", 2}, {"b", 2}});
  world.running("a0", "a", 0, 0, "x", asks(1));
  world.running("a1", "a", 0, 0, "x", asks(1));
  world.running("b0", "b", 0, 0, "x", asks(1));
  world.running("b1", "b", 0, 0, "x", asks(1));
  world.waiting("w", 0, "y", asks(2));
  Generating c(world, "w", Action::reclaim);
  CHECK(c.next() == "b1 b0 ");
  CHECK(c.generator.found().size() == 2);
  CHECK(c.next() == "a1 a0 ");
  CHECK(c.next() == "-");
  CHECK(c.next() == "-");
}

TEST_CASE("victims on other nodes are no part of a pod's scenario") {
  auto world = world_of({{"a", 1}, {"b", 2}});
  world.running("b0", "b", 0, 0, "x", asks(1));
  world.running("a0", "a", 0, 0, "x", asks(1));
  world.running("b1", "b", 0, 0, "x", asks(1));
  world.waiting("w", 0, "y", asks(2));
  Generating c(world, "w", Action::reclaim);
  CHECK(c.next() == "b1 b0 ");
}

TEST_CASE("where a limit is in the way, victims on nodes that stay too small do as well") {
  auto world = world_of({{"a", 1}, {"b", 1}, {"c", 2}});
  world.config.queues[0].limit["gpu"] = Quantity(2);
  world.running("a0", "a", 0, 0, "x", asks(1));
  world.running("b0", "b", 0, 0, "x", asks(1));
  world.waiting("w", 0, "x", asks(2)).priority = 10;
  Generating c(world, "w", Action::preempt);
  CHECK(c.next() == "b0 a0 ");
  CHECK(c.next() == "-");
}

TEST_CASE("of a gang's nodes those come first where fewest of it run") {
  auto world = world_of({{"a", 2}, {"b", 2}, {"c", 2}});
  auto& gang = world.gang("e", "x", 4);
  for (const auto* name : {"b0", "a0", "a1", "c0"}) {
    world.member(gang, name, 0, std::string(1, name[0]), 0, asks(1));
  }
  world.running("b1", "b", 0, 0, "x", asks(1)).created += std::chrono::seconds(1);
  world.running("c1", "c", 0, 0, "x", asks(1)).created += std::chrono::seconds(1);
  world.waiting("w", 0, "y", asks(2));
  Generating c(world, "w", Action::reclaim);
  std::vector<std::string> scenarios{c.next(), c.next(), c.next()};
  CHECK(std::ranges::is_permutation(scenarios[2], std::string("a0 a1 b0 c0 ")));
}

TEST_CASE("whoever takes of a gang's minimum takes first what is above it, on other nodes too") {
  auto world = world_of({{"a", 1}, {"b", 2}});
  auto& gang = world.gang("e", "x", 2);
  world.member(gang, "b0", 0, "b", 0, asks(1));
  world.member(gang, "b1", 0, "b", 0, asks(1));
  world.member(gang, "a0", 0, "a", 0, asks(1));
  world.waiting("w", 0, "y", asks(2));
  Generating c(world, "w", GENERATE(Action::reclaim, Action::consolidate));
  CHECK(c.next() == "a0 b1 b0 ");
}

TEST_CASE("for a gang the victims of a large node alone, where smaller ones do not help") {
  auto world = world_of({{"a", 1}, {"b", 2}});
  world.running("b0", "b", 0, 0, "x", asks(2));
  world.running("a0", "a", 0, 0, "x", asks(1)).created += std::chrono::seconds(1);
  auto& gang = world.gang("g", "y", 2);
  world.member(gang, "g0", 0, {}, 0, asks(1));
  world.member(gang, "g1", 0, {}, 0, asks(1));
  Generating c(world, "g", Action::reclaim);
  CHECK(c.next() == "a0 b0 ");
  CHECK(c.next() == "b0 ");
  CHECK(c.next() == "-");
}

TEST_CASE("for a gang the victims of more and more nodes") {
  auto world = world_of({{"a", 1}, {"b", 1}, {"c", 1}});
  for (const auto* name : {"a", "b", "c"}) {
    world.running(std::string(name) + "0", name, 0, 0, "x", asks(1));
  }
  auto& gang = world.gang("g", "y", 2);
  world.member(gang, "g0", 0, {}, 0, asks(1));
  world.member(gang, "g1", 0, {}, 0, asks(1));
  Generating c(world, "g", Action::reclaim);
  CHECK(c.next() == "c0 b0 ");
  CHECK(c.generator.found().size() == 2);
  CHECK(c.next() == "c0 b0 a0 ");
  CHECK(c.generator.found().size() == 3);
  CHECK(c.next() == "b0 a0 ");
  CHECK(c.next() == "-");
}

TEST_CASE("nothing is generated while the bound rules it out") {
  auto world = world_of({{"a", 1}, {"b", 1}});
  world.running("a0", "a", 0, 0, "x", asks(1));
  world.running("b0", "b", 0, 0, "x", asks(1));
  world.waiting("w", 0, "y", asks(2));
  Generating c(world, "w", Action::reclaim);
  CHECK(c.next() == "-");
  CHECK(c.generator.found().size() == 2);
}

TEST_CASE("a search that stops looks for no more victims") {
  auto world = world_of({{"a", 1}, {"b", 1}});
  world.running("a0", "a", 0, 0, "x", asks(1));
  world.running("b0", "b", 0, 0, "x", asks(1));
  world.waiting("w", 0, "y", asks(1));
  Generating c(world, "w", Action::reclaim);
  CHECK(c.next() == "b0 ");
  CHECK(c.next(true) == "-");
}

TEST_CASE("who may not be evicted is passed over") {
  auto world = world_of({{"a", 1}, {"b", 1}});
  world.running("a0", "a", 0, 0, "x", asks(1));
  world.running("b0", "b", 0, 0, "x", asks(1));
  world.waiting("w", 0, "y", asks(1));
  world.input.disruption_budgets = {{.name = "b", .pods = {Uid("uid-b0")}, .allowed = 0}};
  Generating c(world, "w", Action::reclaim);
  CHECK(c.next() == "a0 ");
  CHECK(c.next() == "-");
}

TEST_CASE("a queue within its share gives nothing, but as many jobs as may be moved") {
  auto world = world_of({{"a", 1}, {"b", 1}, {"c", 1}});
  world.config.queues[0].quota["gpu"] = Quantity(2);
  world.config.queues[1].quota["gpu"] = Quantity(1);
  for (const auto* name : {"a", "b", "c"}) {
    world.running(std::string(name) + "0", name, 0, 0, "x", asks(1));
  }
  world.waiting("w", 0, "y", asks(1));
  SECTION("none may be moved") {
    world.config.consolidation.enabled = false;
    Generating c(world, "w", Action::reclaim);
    CHECK(c.next() == "c0 ");
    CHECK(c.next() == "-");
  }
  SECTION("one may be moved") {
    world.config.consolidation.max_jobs = 1;
    Generating c(world, "w", Action::reclaim);
    CHECK(c.next() == "c0 ");
    CHECK(c.next() == "b0 ");
    CHECK(c.next() == "-");
  }
}

TEST_CASE("consolidation moves so many jobs at most") {
  auto world = world_of({{"a", 2}, {"b", 2}, {"c", 2}});
  for (const auto* name : {"a", "b", "c"}) {
    world.running(std::string(name) + "0", name, 0, 0, "x", asks(1));
  }
  world.waiting("w", 0, "x", asks(2));
  world.config.consolidation.max_jobs = GENERATE(1, 2);
  Generating c(world, "w", Action::consolidate);
  int scenarios = 0;
  while (c.next() != "-") ++scenarios;
  CHECK(scenarios > 0);
  CHECK(c.generator.found().size() <=
        static_cast<std::size_t>(world.config.consolidation.max_jobs) + 1);
}

TEST_CASE("sets of nodes grow by steps that double") {
  auto world = world_of({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}});
  for (const auto* name : {"a", "b", "c", "d", "e"}) {
    world.running(std::string(name) + "0", name, 0, 0, "x", asks(1));
  }
  auto& gang = world.gang("g", "y", 1);
  world.member(gang, "g0", 0, {}, 0, asks(1));
  Generating c(world, "g", Action::reclaim);
  std::vector<std::string> names;
  for (const auto& name : {"a0", "b0", "c0", "d0", "e0"}) names.emplace_back(name);
  VictimCapacity capacity(c.parts.context, c.parts.overlay, c.parts.placer.fit(), c.attempt);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto& job = c.parts.job(names[i]);
    capacity.free({.job = &job, .tasks = {&job.tasks[0]}, .counts = {}, .keeps_minimum = false}, i);
  }
  GrowingNodes nodes(capacity, 1, names.size());
  std::vector<std::size_t> sizes;
  while (const auto scenario = nodes.next()) sizes.push_back(scenario->size());
  CHECK(sizes == std::vector<std::size_t>{1, 2, 1, 4, 1, 5, 1});
}

}  // namespace
}  // namespace dray::planner::generate_test
