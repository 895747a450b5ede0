#include "simulate/jobs/lacks.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/simulate/jobs_run.h"

namespace dray::simulate::lacks_test {
namespace {

struct Job {
  PodAsk ask;
  std::int32_t pods = 1;
};

/// What jobs wait for that come to two nodes of eight GPUs of which `used` took some, and never go.
std::vector<WaitingFor> waiting(const std::vector<Job>& used, const std::vector<Job>& jobs) {
  Workload workload;
  for (const auto* some : {&used, &jobs}) {
    for (const auto& [ask, pods] : *some) {
      auto& job = workload.jobs.emplace_back();
      job.queue = "q";
      job.submitted = std::chrono::seconds(some == &jobs ? 1 : 0);
      job.pods = pods;
      job.ask = ask;
    }
  }
  const std::vector<GpuNode> nodes{{"a", 64'000, 65'536, 8, "m"}, {"b", 64'000, 65'536, 8, "m"}};
  const auto setting = Setting::make(nodes, std::move(workload)).value();
  return run_jobs(setting, {"bestfit", Strategy::best_fit}, 1).waiting;
}

PodAsk gpus(std::int32_t count, std::int32_t milli = whole_gpu) {
  return {.gpus = count, .gpu_milli = milli};
}

}  // namespace

TEST_CASE("a strategy's jobs wait for the resource that lacks, with how much of it there is") {
  struct Row {
    std::string name;
    std::vector<Job> used;
    Job job;
    std::string reason;
  };
  const PodAsk cpu{.milli_cpu = 60'500};
  const PodAsk memory{.memory_mib = 61'440};
  const auto row = GENERATE_COPY(
      Row{"GPUs of a node",
          {{gpus(5)}, {gpus(6)}},
          {gpus(4)},
          "too few free GPUs on every node: at most 3 on one, 5 free in all"},
      Row{"part of a GPU",
          {{gpus(8)}, {gpus(7)}, {gpus(1, 700)}},
          {gpus(1, 500)},
          "too little left of every GPU: at most 0.30 of one, 0.30 GPUs free in all"},
      Row{"a gang",
          {{gpus(8)}},
          {gpus(8), 2},
          "too few free GPUs for all pods of the gang at once: 8 free in all"},
      Row{"a model",
          {},
          {{.gpus = 1, .gpu_milli = whole_gpu, .models = {"other"}}},
          "no open node has GPUs of a model that will do"},
      Row{"CPU beside GPUs",
          {{cpu}, {cpu}},
          {{.milli_cpu = 4000, .gpus = 1, .gpu_milli = whole_gpu}},
          "too little free CPU on every node with the GPUs: at most 3.50 cores"},
      Row{"memory",
          {{memory}, {memory}},
          {{.memory_mib = 8'192}},
          "too little free memory on every node with the GPUs and CPU: at most 4 GiB"});
  DYNAMIC_SECTION(row.name) {
    CHECK(waiting(row.used, {row.job}) == std::vector<WaitingFor>{{row.reason, 1}});
  }
}

TEST_CASE("jobs that lack the same are one line, the most first, and who runs is not counted") {
  const auto told = waiting({{gpus(5)}, {gpus(6)}},
                            {{gpus(4)}, {gpus(8)}, {gpus(4)}, {{.milli_cpu = 70'000}}, {gpus(1)}});
  REQUIRE(told.size() == 2);
  CHECK(told[0].jobs == 3);
  CHECK(told[0].reason == "too few free GPUs on every node: at most 3 on one, 4 free in all");
  CHECK(told[1].jobs == 1);
}

}  // namespace dray::simulate::lacks_test
