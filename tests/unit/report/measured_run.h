#pragma once

#include <chrono>
#include <utility>

#include "report/jobs_report.h"

namespace dray::report::testing {

/// Two jobs of which one waits in the end, on GPUs of two models.
inline MeasuredRun measured() {
  simulate::Workload workload;
  for (const auto* name : {"a", "b"}) {
    auto& job = workload.jobs.emplace_back();
    job.name = name;
    job.queue = "q";
    job.run_time = std::chrono::seconds(50);
    job.ask = {.gpus = 8, .gpu_milli = simulate::whole_gpu};
  }
  workload.jobs[1].pods = 2;
  simulate::JobsRun run;
  run.policy = "p";
  run.seed = 7;
  run.jobs.resize(2);
  run.jobs[0] = {.started = std::chrono::seconds(10),
                 .ended = std::chrono::seconds(60),
                 .waited = std::chrono::seconds(10)};
  run.jobs[0].evictions = 2;
  run.jobs[0].preemptions = 1;
  run.curves = {{"q", {8}, {16}}};
  run.span = std::chrono::seconds(100);
  run.gpus = 16;
  run.used = 400;
  run.models = {{"big", 8, 400}, {"small", 8, 0}};
  run.waiting = {{"no room", 1}};
  run.pods_of_several = 4;
  run.pods_together = 3;
  run.classes = {{"nic", 4, 100}};
  run.gangs = {{"node", 4, 1}, {"rack", 4, 3}};
  run.fragmented = {4};
  auto measures = simulate::measure(workload, run);
  measures.queues[0].fair_share = 12;
  measures.queues[0].owed = 4;
  return {std::move(run), std::move(measures), {"fair", {{12}}}};
}

}  // namespace dray::report::testing
