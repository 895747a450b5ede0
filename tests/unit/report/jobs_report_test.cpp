#include "report/jobs_report.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace dray::report::jobs_report_test {
namespace {

using Catch::Contains;
using std::chrono::seconds;

/// Two jobs of which one waits in the end, on GPUs of two models.
MeasuredRun measured() {
  simulate::Workload workload;
  for (const auto* name : {"a", "b"}) {
    auto& job = workload.jobs.emplace_back();
    job.name = name;
    job.queue = "q";
    job.run_time = seconds(50);
    job.ask = {.gpus = 8, .gpu_milli = simulate::whole_gpu};
  }
  workload.jobs[1].pods = 2;
  simulate::JobsRun run;
  run.policy = "p";
  run.seed = 7;
  run.jobs.resize(2);
  run.jobs[0] = {.started = seconds(10), .ended = seconds(60), .waited = seconds(10)};
  run.jobs[0].evictions = 2;
  run.jobs[0].preemptions = 1;
  run.curves = {{"q", {8}, {16}}};
  run.span = seconds(100);
  run.gpus = 16;
  run.used = 400;
  run.models = {{"big", 8, 400}, {"small", 8, 0}};
  run.waiting = {{"no room", 1}};
  run.pods_of_several = 4;
  run.pods_together = 3;
  auto measures = simulate::measure(workload, run);
  return {std::move(run), std::move(measures)};
}

}  // namespace

TEST_CASE("a run is told as a whole, by queue, size and model") {
  const auto json = jobs_json({measured()});
  CHECK_THAT(json, Contains(R"("evictions":2,"preemptions":1,)"));
  CHECK_THAT(json, Contains(R"("sizes":[{"size":"up to 8 GPUs","jobs":1,"started":1,)"));
  CHECK_THAT(json, Contains(R"({"size":"up to 16 GPUs","jobs":1,"started":0,)"));
  CHECK_THAT(json, Contains(R"("models":[{"model":"big","gpus":8,"utilisation":50},)"
                            R"({"model":"small","gpus":8,"utilisation":0}],"aligned":75,)"
                            R"("waitsFor":[{"reason":"no room","jobs":1}])"));
  auto plain = measured();
  plain.measures.aligned.reset();
  CHECK_THAT(jobs_json({plain}), !Contains("aligned"));
}

TEST_CASE("the same for Prometheus") {
  const auto text = jobs_metrics({measured()});
  const auto has = [&](const std::string& line) {
    CHECK_THAT(text, Contains("\ndray_simulation_" + line + "\n"));
  };
  has(R"(jobs{policy="p",seed="7",state="submitted"} 2)");
  has(R"(jobs{policy="p",seed="7",queue="q",state="ended"} 1)");
  has(R"(wait_seconds{policy="p",seed="7",quantile="0.95"} 10)");
  has(R"(wait_seconds{policy="p",seed="7",size="up to 8 GPUs",quantile="0.5"} 10)");
  has(R"(preemptions{policy="p",seed="7"} 1)");
  has(R"(model_utilisation_percent{policy="p",seed="7",model="big"} 50)");
  has(R"(aligned_percent{policy="p",seed="7"} 75)");
  has(R"(waiting_jobs{policy="p",seed="7",reason="no room"} 1)");
  has(R"(utilisation_percent{policy="p",seed="7"} 25)");
}

}  // namespace dray::report::jobs_report_test
