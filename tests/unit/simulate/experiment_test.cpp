#include "dray/simulate/experiment.h"

#include <catch2/catch.hpp>

namespace dray::simulate::experiment_test {
namespace {

/// Two GPUs; pods of half a GPU and of a whole one.
Setting small() {
  Workload workload;
  workload.jobs.emplace_back().ask = {1000, 1, 1, 500, {}};
  workload.jobs.emplace_back().ask = {1000, 1, 1, 1000, {}};
  return Setting::make({{"a", 8000, 100, 1, "m"}, {"b", 8000, 100, 1, "m"}}, workload).value();
}

}  // namespace

TEST_CASE("each pod is placed for good or refused, and counts at the demand that it makes") {
  const ArrivalOrder order{.jobs = {0, 1, 1}, .ranks = {1, 0}};
  const auto run = run_experiment(small(), order, Strategy::first_fit, 1);
  CHECK(run.decisions == std::vector<Decision>{{1, 1}, {0, 1}, {-1, 0}});
  CHECK(run.refused == 1);
  CHECK(run.refused_for ==
        std::vector<WaitingFor>{
            {"too few free GPUs on every node: at most 0 on one, 0.50 free in all", 1}});
  CHECK(run.allocated == 75);
  CHECK(run.points[25].pods == 1);
  CHECK(run.points[25].allocated == 25);
  CHECK(run.points[75].allocated == 75);
  CHECK(run.points[125].allocated == 75);
  // Half of the pods want a whole GPU: to them the 500 that are left are lost.
  CHECK(run.points[75].fragmented == 12.5);
  CHECK(run.points[75].fragmented_idle == 50);
  CHECK(run.points[0].pods == 0);
}

}  // namespace dray::simulate::experiment_test
