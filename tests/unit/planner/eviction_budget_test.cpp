#include "planner/evict/eviction_budget.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::eviction_budget_test {

using namespace worlds;
namespace {

struct Budget {
  Parts parts;
  EvictionBudget budget;

  explicit Budget(World& world) : parts(world), budget(parts.context) {}
  std::vector<Victims> victims(const std::vector<std::string>& jobs) {
    std::vector<Victims> all;
    for (const auto& name : jobs) {
      auto& job = parts.job(name);
      all.push_back({.job = &job, .tasks = {&job.tasks[0]}, .counts = {}, .keeps_minimum = false});
    }
    return all;
  }
  bool allows(const std::vector<std::string>& jobs) { return budget.allows(victims(jobs)); }
};

World four_running() {
  World world;
  world.node("n0", 8);
  world.queue("a", 0);
  world.queue("b", 0);
  world.running("a0", "n0", 0, 1, "a");
  world.running("a1", "n0", 1, 1, "a");
  world.running("b0", "n0", 2, 1, "b");
  world.running("b1", "n0", 3, 1, "b");
  return world;
}

TEST_CASE("a plan evicts at most its budget of pods") {
  auto world = four_running();
  world.input.budget.evictions = 2;
  Budget c(world);
  CHECK(c.allows({"a0", "a1"}));
  CHECK_FALSE(c.allows({"a0", "a1", "b0"}));
  c.budget.spend(c.victims({"a0"}));
  CHECK(c.allows({"a1"}));
  CHECK_FALSE(c.allows({"a1", "b0"}));
}

TEST_CASE("a queue loses at most what the policy allows, over all of the plan") {
  auto world = four_running();
  world.config.budgets.evictions_per_queue = 1;
  Budget c(world);
  CHECK(c.allows({"a0", "b0"}));
  CHECK_FALSE(c.allows({"a0", "a1"}));
  c.budget.spend(c.victims({"a0"}));
  CHECK_FALSE(c.allows({"a1"}));
  CHECK(c.allows({"b1"}));
}

TEST_CASE("a set above the budget is evicted whole if it is the first") {
  auto world = four_running();
  SECTION("of the plan") {
    world.input.budget.evictions = 1;
  }
  SECTION("of the queue") {
    world.config.budgets.evictions_per_queue = 1;
  }
  Budget c(world);
  CHECK_FALSE(c.allows({"a0", "a1"}));
  CHECK(c.budget.refused_by_size());
  CHECK_FALSE(c.budget.exhausted());
  c.budget.allow_oversized(true);
  CHECK(c.allows({"a0", "a1"}));
  c.budget.spend(c.victims({"a0"}));
  CHECK_FALSE(c.allows({"a1", "a0"}));
  CHECK_FALSE(c.allows({"a1"}));
  CHECK(c.budget.exhausted());
}

TEST_CASE("a budget of nothing allows nothing, whatever comes first") {
  auto world = four_running();
  SECTION("of the plan") {
    world.input.budget.evictions = 0;
  }
  SECTION("of the queue") {
    world.config.budgets.evictions_per_queue = 0;
  }
  Budget c(world);
  c.budget.allow_oversized(true);
  CHECK_FALSE(c.allows({"a0"}));
  CHECK_FALSE(c.budget.exhausted());
}

TEST_CASE("disruption budgets hold for each pod and over all of the plan") {
  auto world = four_running();
  world.input.disruption_budgets = {
      {.name = "one", .pods = {Uid("uid-a0"), Uid("uid-b0")}, .allowed = 1},
      {.name = "none", .pods = {Uid("uid-b1")}, .allowed = 0}};
  Budget c(world);
  CHECK(c.allows({"a0"}));
  CHECK_FALSE(c.allows({"a0", "b0"}));
  CHECK(c.allows({"a0", "a1"}));
  CHECK_FALSE(c.allows({"b1"}));
  c.budget.spend(c.victims({"a0"}));
  CHECK_FALSE(c.allows({"b0"}));
  CHECK(c.allows({"a1"}));
}

TEST_CASE("what only this plan placed costs no eviction") {
  World world;
  world.node("n0", 8);
  world.waiting("w", 1, "a");
  world.running("r", "n0", 0, 1, "a");
  world.input.budget.evictions = 1;
  world.config.budgets.evictions_per_queue = 1;
  Budget c(world);
  CHECK(c.allows({"w", "r"}));
  c.budget.spend(c.victims({"w"}));
  CHECK(c.allows({"r"}));
}

TEST_CASE("who is moved and goes again costs nothing more") {
  auto world = four_running();
  world.input.budget.evictions = 1;
  world.config.budgets.evictions_per_queue = 1;
  world.input.disruption_budgets = {{.name = "one", .pods = {Uid("uid-a0")}, .allowed = 1}};
  Budget c(world);
  c.budget.spend(c.victims({"a0"}));
  c.parts.task("a0").moved = true;
  CHECK(c.allows({"a0"}));
  CHECK_FALSE(c.allows({"a0", "b0"}));
  c.budget.spend(c.victims({"a0"}));
  c.parts.task("a0").moved = false;
  CHECK_FALSE(c.allows({"a0"}));
}

}  // namespace
}  // namespace dray::planner::eviction_budget_test
