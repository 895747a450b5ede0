#include "planner/evict/simulate.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::simulate_test {

using namespace worlds;
namespace {

struct Simulating {
  Parts parts;
  EvictionBudget budget;
  VictimValidator validator;
  Reprieve reprieve;
  VictimSimulator simulator;
  std::vector<Victims> all;

  explicit Simulating(World& world)
      : parts(world),
        budget(parts.context),
        validator(parts.context, parts.decisions, budget, false),
        reprieve(parts.context, parts.memory.jobs(), parts.overlay, parts.placer),
        simulator(parts.context, parts.overlay, parts.placer, reprieve, validator, budget) {}

  void victim(const std::string& job) {
    auto& of = parts.job(job);
    Victims made{.job = &of, .tasks = {}, .counts = of.held, .keeps_minimum = false};
    for (auto& task : of.tasks) {
      made.tasks.push_back(&task);
      of.set_state(task, policy::TaskState::yielding);
    }
    all.push_back(std::move(made));
  }
  std::optional<Solution> run(const std::string& job, Action action, const Scenario& scenario) {
    auto& taker = parts.job(job);
    chunk = taker.next_chunk();
    const Attempt attempt{.job = taker,
                          .chunk = chunk,
                          .counts = taker.counts_of(chunk, parts.begin.queues.resources()),
                          .action = action,
                          .protected_beneficiaries = {}};
    return simulator.run(attempt, all, scenario);
  }
  std::vector<std::uint32_t> chunk;
};

World world_of_two() {
  auto world = two_queues(0, 4);
  world.node("n0", 2);
  world.node("n1", 2);
  world.running("x0", "n0", 0, 2, "x");
  world.running("x1", "n1", 0, 2, "x");
  world.waiting("w", 2, "y");
  return world;
}

TEST_CASE("a scenario's victims go, and the job gets their room") {
  auto world = world_of_two();
  Simulating c(world);
  c.victim("x0");
  c.victim("x1");
  const auto made = c.run("w", Action::reclaim, {1});
  REQUIRE(made);
  REQUIRE(made->placed.size() == 1);
  CHECK(made->placed[0].placement.node == NodeName("n1"));
  CHECK(made->placed[0].room == Room::releasing);
  REQUIRE(made->victims.size() == 1);
  CHECK(made->victims[0].job == &c.parts.job("x1"));
  CHECK(made->moved.empty());
  CHECK(c.parts.task("x0").state == policy::TaskState::placed);
  CHECK(c.parts.task("x1").state == policy::TaskState::yielding);
  CHECK(c.parts.held("x") == 2);
  CHECK(c.simulator.scenarios() == 1);
}

TEST_CASE("a scenario that does not do leaves no trace") {
  auto world = world_of_two();
  auto& gang = world.gang("g", "y", 3);
  world.members(gang, 3, 1);
  Simulating c(world);
  c.victim("x0");
  CHECK_FALSE(c.run("g", Action::reclaim, {0}));
  CHECK(c.parts.overlay.mark() == 0);
  CHECK(c.parts.task("x0").state == policy::TaskState::yielding);
  CHECK(c.parts.held("x") == 4);
  CHECK(c.parts.held("y") == 0);
}

TEST_CASE("the job's own queue has to have room for it") {
  auto world = world_of_two();
  world.config.queues[1].limit["gpu"] = Quantity(1);
  Simulating c(world);
  c.victim("x0");
  CHECK_FALSE(c.run("w", Action::reclaim, {0}));
}

TEST_CASE("victims that are not needed stay, and a scenario of none is no solution") {
  auto world = world_of_two();
  world.node("n2", 2);
  Simulating c(world);
  c.victim("x0");
  CHECK_FALSE(c.run("w", Action::reclaim, {0}));
  CHECK(c.parts.held("x") == 4);
}

TEST_CASE("a solution that the rules refuse is none") {
  auto world = world_of_two();
  world.config.queues[0].quota["gpu"] = Quantity(4);
  Simulating c(world);
  c.victim("x0");
  CHECK_FALSE(c.run("w", Action::reclaim, {0}));
  CHECK(c.run("w", Action::preempt, {0}));
}

TEST_CASE("who may only be moved stays before who may be evicted, whatever their order") {
  auto world = two_queues(2, 2);
  world.queue("z", 0);
  world.node("n0", 4);
  world.running("x0", "n0", 0, 2, "x");
  world.running("z0", "n0", 2, 2, "z");
  world.waiting("w", 2, "y");
  Simulating c(world);
  c.victim("x0");
  c.victim("z0");
  SECTION("else there is no solution") {
    CHECK_FALSE(c.run("w", Action::reclaim, {0, 1}));
  }
  SECTION("it is known of the first") {
    c.all[0].only_moves = true;
    const auto made = c.run("w", Action::reclaim, {0, 1});
    REQUIRE(made);
    REQUIRE(made->victims.size() == 1);
    CHECK(made->victims[0].job == &c.parts.job("z0"));
    CHECK(c.parts.held("x") == 2);
    CHECK(c.parts.held("z") == 0);
  }
}

TEST_CASE("budgets bound the victims and the scenarios") {
  auto world = world_of_two();
  SECTION("victims") {
    world.input.budget.evictions = 0;
    Simulating c(world);
    c.victim("x0");
    CHECK_FALSE(c.run("w", Action::reclaim, {0}));
  }
  SECTION("scenarios") {
    world.input.budget.scenarios = 1;
    Simulating c(world);
    c.victim("x0");
    CHECK_FALSE(c.simulator.exhausted());
    CHECK(c.run("w", Action::reclaim, {0}));
    CHECK(c.simulator.exhausted());
    c.parts.overlay.undo(0);
    CHECK_FALSE(c.run("w", Action::reclaim, {0}));
    CHECK(c.simulator.scenarios() == 1);
  }
}

TEST_CASE("consolidation moves all victims, whoever has to go first") {
  // The job fits either node alone; the victim of the smaller one only the other.
  World world;
  world.allow_all_actions();
  world.queue("x", 8);
  world.node("n0", 3);
  world.node("n1", 3);
  world.running("x0", "n0", 0, 1, "x");
  world.running("x1", "n1", 0, 1, "x");
  world.waiting("w", 3, "x");
  SECTION("there is room for it") {
    Simulating c(world);
    c.victim("x0");
    const auto made = c.run("w", Action::consolidate, {0});
    REQUIRE(made);
    CHECK(made->moved.at(&c.parts.task("x0")).placement.node == NodeName("n1"));
    CHECK(made->placed[0].placement.node == NodeName("n0"));
    CHECK(c.parts.held("x") == 5);
  }
  SECTION("there is none") {
    world.running("x2", "n1", 1, 2, "x");
    Simulating c(world);
    c.victim("x0");
    CHECK_FALSE(c.run("w", Action::consolidate, {0}));
    CHECK(c.simulator.scenarios() == 2);
  }
}

}  // namespace
}  // namespace dray::planner::simulate_test
