#include "report/experiment_report.h"

#include <catch2/catch.hpp>

namespace dray::report::experiment_report_test {
namespace {

simulate::ExperimentRun run(simulate::Strategy strategy, std::uint64_t seed, double allocated) {
  simulate::ExperimentRun one;
  one.strategy = strategy;
  one.seed = seed;
  one.decisions = {{3, 0b101}, {-1, 0}};
  one.refused = 1;
  one.refused_for = {{"no room", 1}};
  one.allocated = allocated;
  one.points[40] = {1, 40, 5, 8.5};
  one.points[102] = {1, allocated, 2.5, 25};
  return one;
}

ExperimentRuns two_policies() {
  return {run(simulate::Strategy::fgd, 1, 90), run(simulate::Strategy::fgd, 2, 92),
          run(simulate::Strategy::best_fit, 1, 80)};
}

}  // namespace

TEST_CASE("the table has a line a policy, with the spread over its seeds") {
  CHECK(experiment_table(two_policies()) ==
        R"(POLICY   SEEDS  ALLOC% AT 100%  ALLOC% AT 102%  FRAG% AT 102%    REFUSED
fgd          2      40.00±0.00      91.00±1.41      2.50±0.00  1.00±0.00
bestfit      1           40.00           80.00           2.50       1.00
)");
}

TEST_CASE("CSV has a line a policy, seed and demand point") {
  CHECK(experiment_csv({run(simulate::Strategy::fgd, 1, 90)}) ==
        R"(policy,seed,demand,pods,allocated,fragmented,fragmented_idle
fgd,1,40,1,40.0000,5.0000,8.5000
fgd,1,102,1,90.0000,2.5000,25.0000
)");
}

TEST_CASE("JSON has the same") {
  CHECK(
      experiment_json({run(simulate::Strategy::fgd, 1, 90)}) ==
      R"({"runs":[{"policy":"fgd","seed":1,"pods":2,"refused":1,)"
      R"("refusedFor":[{"reason":"no room","pods":1}],"allocated":90.0000,"points":[)"
      R"({"demand":40,"pods":1,"allocated":40.0000,"fragmented":5.0000,"fragmentedIdle":8.5000},)"
      R"({"demand":102,"pods":1,"allocated":90.0000,"fragmented":2.5000,"fragmentedIdle":25.0000}]}]})");
}

TEST_CASE("decisions have a line a pod") {
  const simulate::ArrivalOrder order{.jobs = {7, 5}, .ranks = {}};
  CHECK(decisions_csv({run(simulate::Strategy::fgd, 1, 90)}, {&order}) ==
        R"(policy,seed,arrival,pod_index,node_index,gpus
fgd,1,0,7,3,0|2
fgd,1,1,5,-1,
)");
}

}  // namespace dray::report::experiment_report_test
