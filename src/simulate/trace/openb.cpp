#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "dray/simulate/trace.h"
#include "simulate/trace/read_rows.h"

// Alibaba's cluster-trace-gpu-v2023 ("openb"), as the FGD artifact has it.

namespace dray::simulate {
namespace {

constexpr auto unbounded = std::numeric_limits<std::int64_t>::max() / 4096;

Result<GpuNode> read_node(const CsvRows& rows) {
  GpuNode node{.name = std::string(rows.text("sn")), .model = std::string(rows.text("model"))};
  const auto cpu = rows.whole("cpu_milli", 0, unbounded);
  if (!cpu) return std::unexpected(cpu.error());
  const auto memory = rows.whole("memory_mib", 0, unbounded);
  if (!memory) return std::unexpected(memory.error());
  const auto gpus = rows.whole("gpu", 0, most_gpus);
  if (!gpus) return std::unexpected(gpus.error());
  node.milli_cpu = *cpu;
  node.memory_mib = *memory;
  node.gpus = static_cast<std::int32_t>(*gpus);
  return node;
}

std::vector<std::string> read_models(std::string_view text) {
  std::vector<std::string> models;
  while (!text.empty()) {
    const auto bar = std::min(text.find('|'), text.size());
    models.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return models;
}

Result<PodAsk> read_ask(const CsvRows& rows) {
  PodAsk ask;
  const auto cpu = rows.whole("cpu_milli", 0, unbounded);
  if (!cpu) return std::unexpected(cpu.error());
  const auto memory = rows.whole("memory_mib", 0, unbounded);
  if (!memory) return std::unexpected(memory.error());
  const auto gpus = rows.whole("num_gpu", 0, most_gpus);
  if (!gpus) return std::unexpected(gpus.error());
  ask.milli_cpu = *cpu;
  ask.memory_mib = *memory;
  ask.gpus = static_cast<std::int32_t>(*gpus);
  if (ask.gpus == 0) return ask;
  const auto milli = rows.whole("gpu_milli", ask.gpus == 1 ? 1 : whole_gpu, whole_gpu);
  if (!milli) return std::unexpected(milli.error());
  ask.gpu_milli = static_cast<std::int32_t>(*milli);
  ask.models = read_models(rows.text("gpu_spec"));
  return ask;
}

Result<void> read_times(const CsvRows& rows, TraceJob& job) {
  if (!rows.has("creation_time")) return {};
  const auto created = rows.seconds("creation_time");
  if (!created) return std::unexpected(created.error());
  job.submitted = Duration(*created);
  if (!rows.has("deletion_time")) return {};
  const auto deleted = rows.seconds("deletion_time");
  if (!deleted) return std::unexpected(deleted.error());
  if (*deleted < *created) {
    return std::unexpected(rows.expected("deletion_time", "no earlier time than creation_time"));
  }
  job.run_time = Duration(*deleted - *created);
  return {};
}

}  // namespace

Result<Traced<std::vector<GpuNode>>> read_openb_nodes(std::string_view csv,
                                                      const TraceRules& rules) {
  auto rows = CsvRows::open(csv, {"sn", "cpu_milli", "memory_mib", "gpu", "model"});
  if (!rows) return std::unexpected(rows.error());
  Traced<std::vector<GpuNode>> nodes;
  auto skipped = read_rows(*rows, rules, [&]() -> Result<void> {
    auto node = read_node(*rows);
    if (!node) return std::unexpected(node.error());
    nodes.value.push_back(std::move(*node));
    return {};
  });
  if (!skipped) return std::unexpected(skipped.error());
  nodes.skipped = std::move(*skipped);
  return nodes;
}

Result<Traced<Workload>> read_openb_pods(std::string_view csv, const TraceRules& rules) {
  auto rows = CsvRows::open(csv, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"});
  if (!rows) return std::unexpected(rows.error());
  Traced<Workload> pods;
  auto skipped = read_rows(*rows, rules, [&]() -> Result<void> {
    TraceJob job;
    job.name = rows->text("name");
    job.queue = rows->text("qos");
    auto ask = read_ask(*rows);
    if (!ask) return std::unexpected(ask.error());
    job.ask = std::move(*ask);
    if (auto times = read_times(*rows, job); !times) return times;
    pods.value.jobs.push_back(std::move(job));
    return {};
  });
  if (!skipped) return std::unexpected(skipped.error());
  pods.skipped = std::move(*skipped);
  return pods;
}

}  // namespace dray::simulate
