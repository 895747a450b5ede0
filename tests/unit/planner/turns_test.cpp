#include "planner/turns.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::turns_test {
namespace {

using worlds::World;

/// One plan after another, each carried out; how many it took until each of these has its place.
std::size_t plans_until_placed(World& world, const std::vector<std::string>& names,
                               std::size_t most) {
  Planner planner(world.options);
  for (std::size_t plans = 1; plans <= most; ++plans) {
    const auto made = planner.plan(world.make_input());
    world.input.progress = made.progress;
    const auto is_placed = [&](const std::string& name) {
      return std::ranges::any_of(made.jobs, [&](const JobOutcome& outcome) {
        return outcome.job == Uid("uid-" + name) && !outcome.placements.empty();
      });
    };
    if (std::ranges::all_of(names, is_placed)) return plans;
  }
  return 0;
}

/// Jobs of `queue` that have no room as long as another job runs.
void add_hopeless(World& world, int count, const std::string& queue) {
  for (int i = 0; i < count; ++i) world.waiting("a" + std::to_string(i), 2, queue);
}

}  // namespace

TEST_CASE("jobs that a budget kept a plan from are in the next one, whoever is in front") {
  World world;
  world.queue("a", 2);
  world.queue("b", 2);
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  world.input.budget.jobs = GENERATE(as<std::size_t>(), 1, 2, 3, 6);
  add_hopeless(world, 6, "a");
  world.waiting("b0", 1, "b").created = worlds::start + std::chrono::seconds(1);
  // Two queues: at the latest the second reserved turn is b's.
  const auto plans = plans_until_placed(world, {"b0"}, 8);
  CHECK(plans > 0);
  CHECK(plans <= 3);
}

TEST_CASE("a plan that looks at all jobs hands nothing to the next") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  add_hopeless(world, 3, "a");
  world.input.budget.jobs = 3;
  const auto made = world.plan();
  CHECK_FALSE(made.exhausted);
  CHECK(made.ended_by.empty());
  CHECK(made.progress.get() == nullptr);
}

TEST_CASE("a job that no plan has reached is told how many come before it, once") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  add_hopeless(world, 4, "a");
  world.input.budget.jobs = 2;
  const auto first = world.plan();
  CHECK(first.exhausted);
  CHECK(first.ended_by == std::vector{BudgetKind::jobs});
  REQUIRE(first.jobs.size() == 4);
  CHECK(first.jobs[2].reason == Reason::planning);
  CHECK(first.jobs[2].detail == "not reached yet: 0 jobs ahead of it this round");
  CHECK(first.jobs[3].detail == "not reached yet: 1 job ahead of it this round");
  world.input.progress = first.progress;
  const auto second = world.plan();
  REQUIRE(second.jobs.size() == 2);
  // One in the order of jobs, and one that was left out.
  CHECK(second.jobs[0].job == Uid("uid-a0"));
  CHECK(second.jobs[1].job == Uid("uid-a2"));
  world.input.progress = second.progress;
  const auto third = world.plan();
  REQUIRE(third.jobs.size() == 2);
  CHECK(third.jobs[1].job == Uid("uid-a3"));
}

TEST_CASE("those in front are looked at in every plan") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  add_hopeless(world, 8, "a");
  world.input.budget.jobs = 2;
  for (int i = 0; i < 6; ++i) {
    const auto made = world.plan();
    world.input.progress = made.progress;
    CHECK(made.jobs[0].job == Uid("uid-a0"));
  }
}

TEST_CASE("new jobs in front do not keep away those that were left out") {
  World world;
  world.node("n0", 2);
  world.running("r", "n0", 0, 1, "a");
  world.input.budget.jobs = 2;
  world.waiting("last", 1, "a").priority = -1;
  add_hopeless(world, 2, "a");
  bool placed = false;
  for (int i = 0; i < 4 && !placed; ++i) {
    const auto made = world.plan();
    world.input.progress = made.progress;
    placed = gets_something(made.jobs.front());
    for (int more = 0; more < 3; ++more) {
      world.waiting("more" + std::to_string(3 * i + more), 2, "a").priority = 1;
    }
  }
  CHECK(placed);
}

TEST_CASE("a look that the budget of nodes cuts short gets more each time") {
  World world;
  for (int i = 0; i < 10; ++i) world.node("n" + std::to_string(i), 1);
  world.fill("r", 0, "n0", "a");
  for (int i = 0; i < 9; ++i)
    world.running("r" + std::to_string(i), "n" + std::to_string(i), 0, 1, "a");
  world.waiting("w", 1, "a");
  world.input.budget.nodes_tried = 1;
  std::size_t plans = 0;
  bool placed = false;
  while (!placed && plans < 10) {
    // A planner that remembers nothing: each plan has to look at all nodes.
    const auto made = world.plan();
    world.input.progress = made.progress;
    placed = gets_something(made.jobs.front());
    if (!placed) {
      CHECK(made.ended_by == std::vector{BudgetKind::nodes_tried});
      CHECK(made.jobs.front().reason == Reason::planning);
    }
    ++plans;
  }
  CHECK(placed);
  CHECK(plans == 5);
}

TEST_CASE("who has waited for its look longest gets one, whoever uses up the budget before it") {
  World world;
  world.allow_all_actions();
  world.queue("a", 1);
  for (const auto* name : {"n0", "n1"}) {
    world.node(name, 4);
    world.running(std::string("r") + name, name, 0, 4, "a");
  }
  world.node("n2", 1);
  const std::pair<int, int> front[] = {{2, 9}, {3, 9}, {2, 0}, {2, 9}, {2, 9}};
  for (std::size_t i = 0; i < std::size(front); ++i) {
    world.waiting("a" + std::to_string(i), front[i].first, "a").priority = front[i].second;
  }
  world.waiting("last", 1, "a");
  world.input.budget = {.jobs = 3, .nodes_tried = 1, .evictions = 0, .scenarios = 2};
  std::size_t plans = 0;
  for (bool placed = false; !placed && plans < 40; ++plans) {
    const auto made = world.plan();
    world.input.progress = made.progress;
    placed = gets_something(made.jobs.front());
  }
  CHECK(plans < 40);
}

TEST_CASE("the budgets of evictions and scenarios keep no job from reclaiming for ever") {
  World world;
  world.config.reclaim.enabled = true;
  world.queue("a", 0);
  world.queue("b", 4);
  world.queue("c", 4);
  world.node("n0", 8);
  world.fill("a", 8, "n0", "a");
  for (const auto* name : {"b0", "b1", "c0", "c1"}) world.waiting(name, 2, {name[0]});
  SECTION("evictions") {
    world.input.budget.evictions = 2;
  }
  SECTION("scenarios") {
    world.input.budget.scenarios = 1;
  }
  // Nothing is carried out: what a plan decides is not there in the next.
  std::set<Uid> helped;
  for (int i = 0; i < 60; ++i) {
    const auto made = world.plan();
    world.input.progress = made.progress;
    for (const auto& eviction : made.evictions) helped.insert(*eviction.beneficiary);
  }
  CHECK(helped.size() == 4);
}

}  // namespace dray::planner::turns_test
