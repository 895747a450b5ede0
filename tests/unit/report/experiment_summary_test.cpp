#include "report/experiment_summary.h"

#include <catch2/catch.hpp>

namespace dray::report::experiment_summary_test {
namespace {

simulate::ExperimentRun run(simulate::Strategy strategy, double allocated) {
  simulate::ExperimentRun one;
  one.strategy = strategy;
  one.refused = 2;
  one.points[40] = {1, 40, 5, 8.5};
  one.points[102] = {1, allocated, 2.5, 25};
  return one;
}

}  // namespace

TEST_CASE("policies stand in the order of their first runs, with means over their seeds") {
  using simulate::Strategy;
  const auto summary =
      summarize({run(Strategy::fgd, 90), run(Strategy::best_fit, 80), run(Strategy::fgd, 92)});
  CHECK(summary.full == 100);
  CHECK(summary.last == 102);
  REQUIRE(summary.policies.size() == 2);
  CHECK(summary.policies[0].strategy == Strategy::fgd);
  CHECK(summary.policies[0].seeds == 2);
  CHECK(summary.policies[0].allocated_full.mean == 40);
  CHECK(summary.policies[0].allocated_last.mean == 91);
  CHECK(summary.policies[1].allocated_last.deviation == 0);
  CHECK(summary.policies[1].refused.mean == 2);
}

TEST_CASE("means at a demand are over the seeds that have a pod there") {
  auto other = run(simulate::Strategy::fgd, 94);
  other.points[40] = {};
  other.points[41] = {2, 41, 5, 8.5};
  const auto means =
      mean_points({run(simulate::Strategy::fgd, 90), other}, simulate::Strategy::fgd);
  REQUIRE(means.size() == 3);
  CHECK(means[0].demand == 40);
  CHECK(means[0].allocated == 40);
  CHECK(means[1].demand == 41);
  CHECK(means[2].allocated == 92);
  CHECK(means[2].allocated_least == 90);
  CHECK(means[2].allocated_most == 94);
}

}  // namespace dray::report::experiment_summary_test
