#include "planner/evict/validate.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::validate_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

/// Queue x runs three jobs of one GPU on a node of four, queue y one; both are owed two.
World two_queues() {
  World world;
  world.allow_all_actions();
  world.node("n0", 4);
  world.queue("x", 2);
  world.queue("y", 2);
  world.running("x0", "n0", 0, 1, "x");
  world.running("x1", "n0", 1, 1, "x");
  world.running("x2", "n0", 2, 1, "x");
  world.running("y0", "n0", 3, 1, "y");
  world.waiting("w", 1, "y");
  return world;
}

struct Rules {
  Parts parts;
  EvictionBudget budget;
  VictimValidator validator;
  std::vector<policy::Amounts> taken;

  explicit Rules(World& world, bool counts_node_allocatable = false)
      : parts(world),
        budget(parts.context),
        validator(parts.context, parts.decisions, budget, counts_node_allocatable),
        taken(parts.begin.queues.queues().size(), policy::Amounts(parts.begin.queues.resources())) {
  }

  Attempt attempt(Action action, const std::string& job = "w") {
    auto& taker = parts.job(job);
    return {.job = taker,
            .chunk = {},
            .counts = taker.counts_of(taker.next_chunk(), parts.begin.queues.resources()),
            .action = action,
            .protected_beneficiaries = {}};
  }
  Victims chunk(const std::string& job) {
    auto& victim = parts.job(job);
    Victims made{.job = &victim, .tasks = {}, .counts = victim.held, .keeps_minimum = false};
    for (auto& task : victim.tasks) made.tasks.push_back(&task);
    return made;
  }
  bool evicts(Action action, const std::string& job) {
    return validator.may_be_evicted(attempt(action), chunk(job), taken);
  }
};

TEST_CASE("reclaim is from other queues, preemption within one, consolidation anywhere") {
  auto world = two_queues();
  Rules c(world);
  VictimOrder::Candidates candidates(2);
  const auto x = c.parts.queue("x").get();
  const auto y = c.parts.queue("y").get();
  candidates[x] = {&c.parts.job("x0")};
  candidates[y] = {&c.parts.job("y0")};
  const auto open = [&](Action action) {
    const auto made = c.validator.open_queues(c.attempt(action), candidates);
    return std::string(made[x] != 0 ? "x" : "") + (made[y] != 0 ? "y" : "");
  };
  CHECK(open(Action::reclaim) == "x");
  CHECK(open(Action::preempt) == "y");
  CHECK(open(Action::consolidate) == "xy");
  candidates[x].clear();
  CHECK(open(Action::consolidate) == "y");
}

TEST_CASE("a queue gives what it has above its share, and no more") {
  auto world = two_queues();
  Rules c(world);
  const auto reclaim = c.attempt(Action::reclaim);
  CHECK(c.validator.queue_gives(reclaim, c.chunk("x2"), c.taken));
  c.taken[c.parts.queue("x").get()][c.parts.gpu()] = 1;
  CHECK_FALSE(c.validator.queue_gives(reclaim, c.chunk("x2"), c.taken));
  CHECK(c.validator.queue_gives(c.attempt(Action::preempt), c.chunk("x2"), c.taken));
}

TEST_CASE("only lower priority is preempted; nobody makes room for itself") {
  auto world = two_queues();
  Rules c(world);
  const auto preempts = [&](std::int32_t priority) {
    auto job = *c.parts.job("w").job;
    job.priority = priority;
    c.parts.job("w").job = std::make_shared<const Job>(job);
    return c.evicts(Action::preempt, "y0");
  };
  CHECK_FALSE(preempts(0));
  CHECK_FALSE(preempts(-1));
  CHECK(preempts(1));
  CHECK(c.evicts(Action::reclaim, "x0"));
  CHECK_FALSE(c.evicts(Action::reclaim, "w"));
  CHECK_FALSE(c.evicts(Action::consolidate, "w"));
}

TEST_CASE("a job runs for its minimum time before it is a victim, but may be moved") {
  auto world = two_queues();
  world.config.reclaim.min_runtime = 10min;
  world.config.preemption.min_runtime = 20min;
  World& running = world;
  auto& victim = running.running("v", "n0", 0, 0, "x");
  victim.priority = -1;
  SECTION("reclaim") {
    const auto ran = GENERATE(9min, 10min);
    victim.started = start - ran;
    Rules c(world);
    CHECK(c.evicts(Action::reclaim, "v") == (ran == 10min));
    CHECK(c.evicts(Action::consolidate, "v"));
    CHECK(c.validator.again_at() == (ran == 10min ? std::nullopt : std::optional(start + 1min)));
  }
  SECTION("preemption") {
    const auto ran = GENERATE(19min, 20min);
    victim.started = start - ran;
    Rules c(world);
    CHECK(c.evicts(Action::preempt, "v") == (ran == 20min));
    CHECK(c.validator.again_at() == (ran == 20min ? std::nullopt : std::optional(start + 1min)));
  }
  SECTION("what a gang has above its minimum goes at once") {
    victim.started = start;
    Rules c(world);
    auto chunk = c.chunk("v");
    CHECK_FALSE(c.validator.may_be_evicted(c.attempt(Action::reclaim), chunk, c.taken));
    chunk.keeps_minimum = true;
    CHECK(c.validator.may_be_evicted(c.attempt(Action::reclaim), chunk, c.taken));
  }
}

TEST_CASE("without a minimum time nobody is spared, however late the own clock is") {
  auto world = two_queues();
  auto& victim = world.running("v", "n0", 0, 0, "x");
  victim.priority = -1;
  victim.started = start + 2min;  // by the API server's clock
  Rules c(world);
  CHECK(c.evicts(Action::reclaim, "v"));
  CHECK(c.evicts(Action::preempt, "v"));
  CHECK_FALSE(c.validator.again_at());
}

TEST_CASE("nobody reclaims back from whom it was evicted for, unless its quota is owed") {
  auto world = two_queues();
  const std::int64_t quota = GENERATE(1, 2);
  world.config.queues[1].quota["gpu"] = Quantity(quota);
  world.running("low", "n0", 0, 0, "y").priority = -1;
  Rules c(world);
  auto reclaim = c.attempt(Action::reclaim);
  CHECK(c.validator.may_be_evicted(reclaim, c.chunk("x2"), c.taken));
  reclaim.protected_beneficiaries = {"default/x2"};
  CHECK(c.validator.may_be_evicted(reclaim, c.chunk("x2"), c.taken) == (quota == 2));
  CHECK(c.validator.may_be_evicted(reclaim, c.chunk("x1"), c.taken));
  auto preempt = c.attempt(Action::preempt);
  CHECK(c.validator.may_be_evicted(preempt, c.chunk("low"), c.taken));
  preempt.protected_beneficiaries = {"default/low"};
  CHECK_FALSE(c.validator.may_be_evicted(preempt, c.chunk("low"), c.taken));
  auto move = c.attempt(Action::consolidate);
  move.protected_beneficiaries = {"default/x2"};
  CHECK(c.validator.may_be_evicted(move, c.chunk("x2"), c.taken));
}

TEST_CASE("what this plan placed may be taken back, unless others make room for it") {
  auto world = two_queues();
  world.waiting("mine", 1, "x");
  const bool node_allocatable = GENERATE(false, true);
  Rules c(world, node_allocatable);
  CHECK(c.evicts(Action::reclaim, "mine") == !node_allocatable);
  CHECK_FALSE(c.evicts(Action::consolidate, "mine"));
  c.parts.decisions.keep(c.parts.task("mine"));
  CHECK_FALSE(c.evicts(Action::reclaim, "mine"));
  CHECK(c.evicts(Action::reclaim, "x0"));
}

TEST_CASE("what this plan placed with a claim that others may use, too, stays") {
  auto world = two_queues();
  world.waiting("mine", 1, "x");
  world.tell(make_claim("c-mine", 1));  // of no pod alone
  Rules c(world);
  CHECK_FALSE(c.evicts(Action::reclaim, "mine"));
}

TEST_CASE(
    "room that others only move for goes to a higher priority of the queue, if devices allow") {
  auto world = two_queues();
  world.waiting("mine", 1, "x");
  world.job("w").priority = 1;
  const auto left = GENERATE(Left::moved, Left::for_good);
  const bool node_allocatable = GENERATE(false, true);
  Rules c(world, node_allocatable);
  c.parts.decisions.keep(c.parts.task("mine"), left);
  CAPTURE(left, node_allocatable);
  for (const auto action : {Action::consolidate, Action::reclaim}) {
    CHECK_FALSE(c.evicts(action, "mine"));
  }
  CHECK(c.evicts(Action::preempt, "mine") == (left == Left::moved && !node_allocatable));
}

TEST_CASE("who has been moved may go again, if devices allow") {
  auto world = two_queues();
  const bool node_allocatable = GENERATE(false, true);
  Rules c(world, node_allocatable);
  auto& task = c.parts.task("x0");
  task.state = policy::TaskState::yielding;
  task.shape = c.parts.memory.jobs().shape_of_victim(task);
  task.state = policy::TaskState::placed;
  task.moved = true;
  for (const auto action : {Action::consolidate, Action::reclaim}) {
    CHECK(c.evicts(action, "x0") != node_allocatable);
  }
}

TEST_CASE("a chunk is within the budgets by itself") {
  auto world = two_queues();
  world.input.disruption_budgets = {{.name = "b", .pods = {Uid("uid-x0")}, .allowed = 0}};
  Rules c(world);
  CHECK_FALSE(c.evicts(Action::reclaim, "x0"));
  CHECK(c.evicts(Action::reclaim, "x1"));
}

TEST_CASE("a solution holds by the rules of its action") {
  auto world = two_queues();
  Rules c(world);
  Solution solution;
  CHECK_FALSE(c.validator.holds(c.attempt(Action::preempt), solution));
  solution.victims = {c.chunk("x2")};
  CHECK(c.validator.holds(c.attempt(Action::preempt), solution));
  CHECK(c.validator.holds(c.attempt(Action::reclaim), solution));
  CHECK_FALSE(c.validator.holds(c.attempt(Action::consolidate), solution));
  // Another of x would bring it below its share, unless it is moved only.
  solution.victims.push_back(c.chunk("x1"));
  CHECK_FALSE(c.validator.holds(c.attempt(Action::reclaim), solution));
  solution.moved[&c.parts.task("x1")] = {};
  CHECK(c.validator.holds(c.attempt(Action::reclaim), solution));
  CHECK_FALSE(c.validator.holds(c.attempt(Action::consolidate), solution));
  solution.moved[&c.parts.task("x2")] = {};
  CHECK(c.validator.holds(c.attempt(Action::consolidate), solution));
}

TEST_CASE("the victims of a second look hold together: few are moved of whom nothing is owed") {
  const auto holds = [](bool enabled, std::int32_t jobs) {
    auto world = two_queues();
    world.config.consolidation.enabled = enabled;
    world.config.consolidation.max_jobs = jobs;
    Rules c(world);
    auto attempt = c.attempt(Action::reclaim);
    attempt.each_alone = true;
    Solution solution;
    solution.victims = {c.chunk("x2"), c.chunk("x1"), c.chunk("x0")};
    solution.moved[&c.parts.task("x0")] = {};
    solution.moved[&c.parts.task("x1")] = {};
    return c.validator.holds(attempt, solution);
  };
  CHECK(holds(true, 2));
  CHECK_FALSE(holds(true, 1));
  CHECK_FALSE(holds(false, 2));
}

TEST_CASE("the victims of a second look hold together: who is protected goes for a quota alone") {
  auto world = two_queues();
  Rules c(world);
  auto attempt = c.attempt(Action::reclaim);
  attempt.each_alone = true;
  attempt.protected_beneficiaries = {"default/x1"};
  Solution solution;
  solution.victims = {c.chunk("x1")};
  CHECK(c.validator.holds(attempt, solution));
  // What moves first leaves the queue at its quota.
  solution.victims = {c.chunk("x1"), c.chunk("x2")};
  solution.moved[&c.parts.task("x1")] = {};
  CHECK_FALSE(c.validator.holds(attempt, solution));
}

}  // namespace
}  // namespace dray::planner::validate_test
