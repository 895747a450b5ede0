#include "report/comparison.h"

#include <catch2/catch.hpp>
#include <chrono>

namespace dray::report::comparison_test {
namespace {

using std::chrono::seconds;

simulate::TraceJob job(std::int32_t pods, std::int32_t gpus, std::int32_t milli = 1000) {
  simulate::TraceJob one;
  one.run_time = seconds(10);
  one.pods = pods;
  one.ask.gpus = gpus;
  one.ask.gpu_milli = milli;
  return one;
}

simulate::JobRecord record(std::optional<int> started, std::optional<int> ended, int waited = 0) {
  simulate::JobRecord one;
  if (started) one.started = seconds(*started);
  if (ended) one.ended = seconds(*ended);
  one.waited = seconds(waited);
  return one;
}

std::string_view class_of(const simulate::TraceJob& one) {
  return size_class_name(size_class(one));
}

}  // namespace

TEST_CASE("sizes are classes of GPUs in all") {
  CHECK(class_of(job(1, 0)) == "no GPU");
  CHECK(class_of(job(1, 1, 250)) == "part of a GPU");
  CHECK(class_of(job(1, 1)) == "1 GPU");
  CHECK(class_of(job(1, 2)) == "up to 4 GPUs");
  CHECK(class_of(job(2, 4)) == "up to 8 GPUs");
  CHECK(class_of(job(8, 8)) == "up to 64 GPUs");
  CHECK(class_of(job(9, 8)) == "over 64 GPUs");
}

TEST_CASE("waits are of jobs that started, by percent and by size") {
  simulate::Workload workload;
  simulate::JobsRun run;
  for (int i = 1; i <= 100; ++i) {
    workload.jobs.push_back(job(1, i <= 50 ? 1 : 8));
    run.jobs.push_back(record(i, i, i));
  }
  workload.jobs.push_back(job(1, 8));
  run.jobs.push_back(record({}, {}, 9'999));
  const auto waits = waits_of(workload, run);
  REQUIRE(waits.percentiles.size() == 101);
  CHECK(waits.percentiles[0] == 1);
  CHECK(waits.percentiles[50] == 50);
  CHECK(waits.percentiles[100] == 100);
  CHECK(waits.sizes == std::vector<SizeWaits>{{2, 50, 50, 25, 48}, {4, 51, 50, 75, 98}});
}

TEST_CASE("no job started: no percents") {
  simulate::Workload workload;
  workload.jobs.push_back(job(1, 1));
  simulate::JobsRun run;
  run.jobs.emplace_back();
  CHECK(waits_of(workload, run).percentiles.empty());
}

TEST_CASE("jobs are later, sooner or the same; those that never end are the worst") {
  simulate::Workload workload;
  workload.jobs.assign(6, job(1, 1));
  workload.jobs[5].run_time.reset();
  simulate::JobsRun first;
  first.jobs = {record(0, 10),  record(0, 10), record(0, 10),
                record({}, {}), record(0, 20), record(5, {})};
  simulate::JobsRun other;
  other.jobs = {record(0, 10), record(3, 13), record(3, {}),
                record(0, 10), record(0, 15), record(9, {})};
  const auto fared = compare_jobs(workload, first, other, 10);
  CHECK(fared.same == 1);
  CHECK(fared.sooner == 2);
  CHECK(fared.later == 3);
  CHECK(fared.worst == std::vector<LaterJob>{{2, {}}, {5, 4.0}, {1, 3.0}});
  CHECK(compare_jobs(workload, first, other, 1).worst == std::vector<LaterJob>{{2, {}}});
  CHECK(compare_jobs(workload, first, other, 1).later == 3);
}

}  // namespace dray::report::comparison_test
