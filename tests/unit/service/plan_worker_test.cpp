#include "service/plan_worker.h"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>

#include "dray/base/check.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::plan_worker_test {
namespace {

using Catch::Contains;
using testing::Watched;

/// What a worker told, in order: `planned 7`, `broken: ...`.
using Told = Watched<std::vector<std::string>>;

PlanWorker::Listener hear(Told& told) {
  return {[&told](const engine::Planned& planned) {
            told.change([&](auto& all) {
              all.push_back("planned " + std::to_string(planned.generation) + ": " +
                            std::to_string(planned.plan->jobs.size()));
            });
          },
          [&told](const std::string& what) {
            told.change([&](auto& all) { all.push_back("broken: " + what); });
          }};
}

engine::WantPlan want(std::uint64_t generation, std::size_t jobs = 0) {
  auto input = std::make_shared<planner::PlanInput>();
  input->budget.jobs = jobs;
  return {generation, input};
}

/// One of a single job that says when the worker is done with it.
engine::WantPlan want(std::uint64_t generation, Told& done) {
  auto input = std::make_unique<planner::PlanInput>();
  input->budget.jobs = 1;
  return {generation, {input.release(), [&done](const planner::PlanInput* each) {
                         delete each;
                         done.change([](auto& all) { all.emplace_back("done"); });
                       }}};
}

/// As many jobs as the budget has; 13 is bad luck.
planner::Plan plan(const planner::PlanInput& input) {
  DRAY_CHECK(input.budget.jobs != 13);
  if (input.budget.jobs == 14) throw std::out_of_range("vector::at");
  planner::Plan made;
  made.jobs.resize(input.budget.jobs);
  made.nodes_tried = 5;
  made.scenarios = 3;
  made.refused_early = 1;
  made.exhausted = input.budget.jobs == 3;
  return made;
}

TEST_CASE("a plan comes back with its generation, in the order asked for, and is counted") {
  metrics::Metrics metrics("x");
  Told told;
  PlanWorker worker(plan, metrics, hear(told));
  worker.ask(want(7, 2));
  worker.ask(want(8, 3));
  REQUIRE(told.wait([](const auto& all) { return all.size() == 2; }));
  CHECK(told.get() == std::vector<std::string>{"planned 7: 2", "planned 8: 3"});
  const auto page = metrics.page({});
  CHECK_THAT(page, Contains("dray_plan_duration_seconds_count 2\n"));
  CHECK_THAT(page, Contains("dray_plan_jobs_total 5\n"));
  CHECK_THAT(page, Contains("dray_plan_nodes_tried_total 10\n"));
  CHECK_THAT(page, Contains("dray_plan_victim_sets_tried_total 6\n"));
  CHECK_THAT(page, Contains("dray_plan_jobs_refused_early_total 2\n"));
  CHECK_THAT(page, Contains("dray_plans_exhausted_total 1\n"));
}

TEST_CASE("after a broken invariant no plan is made any more") {
  const auto [jobs, why] = GENERATE(table<std::size_t, const char*>(
      {{13, "input.budget.jobs != 13"}, {14, "exception: vector::at"}}));
  metrics::Metrics metrics("x");
  Told told;
  Told done;
  {
    PlanWorker worker(plan, metrics, hear(told));
    worker.ask(want(1, jobs));
    worker.ask(want(2, done));
    REQUIRE(done.wait([](const auto& all) { return all.size() == 1; }));
  }
  REQUIRE(told.get().size() == 1);
  CHECK_THAT(told.get()[0], Catch::StartsWith("broken: plan: ") && Contains(why));
  CHECK_THAT(metrics.page({}), Contains("dray_plan_duration_seconds_count 0\n"));
}

}  // namespace
}  // namespace dray::service::plan_worker_test
