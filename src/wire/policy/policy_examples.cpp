#include "wire/policy/policy_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace dray::wire {
namespace {

constexpr std::string_view resource_unit = "devices, cores of cpu, or bytes of memory (512Gi)";

constexpr auto examples = std::to_array<KeyExample>({
    {"queuesFrom", "file"},
    {"resources", "{gpu: [{deviceClass: gpu.nvidia.com, amount: 1}]}"},
    {"resources.NAME[].deviceClass", "gpu.nvidia.com"},
    {"resources.NAME[].nodeResource", "nvidia.com/gpu"},
    {"resources.NAME[].amount", "1", "of the resource, for one device"},
    {"resources.NAME[].capacity", "memory"},
    {"resources.NAME[].per", "80Gi", "that of the capacity, as bytes of memory"},
    {"queues", "[{name: research, quota: {gpu: 16}, limit: {gpu: 32}}, {name: product}]"},
    {"queues[].name", "research"},
    {"queues[].parent", "science"},
    {"queues[].quota", "{gpu: 16, cpu: 128, memory: 1Ti}", resource_unit},
    {"queues[].limit", "{gpu: 32, memory: unlimited}", resource_unit},
    {"queues[].overQuotaWeight", "2", "parts, in proportion to the other queues'"},
    {"queues[].priority", "200", "none: only the order counts"},
    {"queues[].reclaimMinRuntime", "1h"},
    {"queues[].placement", "{gpu: spread}"},
    {"queues[].namespaces", "[research, research-dev]"},
    {"queues[].serviceAccounts", "[ci/runner]"},
    {"queues[].gangs", "[job, jobSet]"},
    {"podQueues", "{namespaces: {research: research}, otherwise: product}"},
    {"podQueues.labels", "[dray.dev/queue]"},
    {"podQueues.namespaces", "{research: research}"},
    {"podQueues.otherwise", "product"},
    {"placement", "{gpu: pack, cpu: spread}"},
    {"shares", "pack"},
    {"fractions", "{deviceClass: hami-core-gpu.project-hami.io, others: [cores]}"},
    {"fractions.deviceClass", "hami-core-gpu.project-hami.io"},
    {"fractions.memory", "memory"},
    {"fractions.others", "[cores]"},
    {"fractions.distinct", "hami-core-gpu.project-hami.io/uuid"},
    {"alignment", "{require: [resource.kubernetes.io/pcieRoot]}"},
    {"alignment.prefer", "[resource.kubernetes.io/pcieRoot, numa]"},
    {"alignment.require", "[resource.kubernetes.io/pcieRoot]"},
    {"alignment.aliases", "{numa: [resource.kubernetes.io/numaNode, dra.net/numaNode]}"},
    {"topology", "[topology.kubernetes.io/zone, nvidia.com/gpu.clique]"},
    {"fairness", "{halfLife: 1d}"},
    {"fairness.halfLife", "1d"},
    {"fairness.window", "7d"},
    {"fairness.strength", "1", "none: a factor"},
    {"aging", "1h"},
    {"gangs", "{staleAfter: 1m, reserveAfter: 10m}"},
    {"gangs.staleAfter", "1m"},
    {"preemption", "{enabled: true, minRuntime: 10m}"},
    {"reclaim", "{enabled: true, minRuntime: 30m}"},
    {"reclaim.saturationMultiplier", "1.5", "none: a factor"},
    {"reclaim.minRuntime", "30m"},
    {"reclaim.minRuntimeFrom", "lca"},
    {"consolidation", "{enabled: true, maxJobs: 16}"},
    {"consolidation.maxJobs", "16", "jobs"},
    {"budgets", "{evictions: 64, victimCooldown: 10m}"},
    {"budgets.jobs", "512", "jobs"},
    {"budgets.nodesTried", "200000", "pairs of job and node"},
    {"budgets.evictions", "64", "pods"},
    {"budgets.evictionsPerQueue", "8", "pods"},
    {"budgets.exposedJobs", "4", "jobs"},
    {"nodeGroups", "[{name: h100, like: gpu-node-1, maxNodes: 16}]"},
    {"provisioningRequests", "{class: best-effort-atomic-scale-up.autoscaling.x-k8s.io}"},
    {"provisioningRequests.class", "check-capacity.autoscaling.x-k8s.io"},
    {"provisioningRequests.parameters", "{ValidUntilSeconds: '3600'}"},
    {"nodeGroups[].name", "h100"},
    {"nodeGroups[].maxNodes", "16", "nodes"},
    {"nodeGroups[].like", "gpu-node-1"},
    {"nodeGroups[].node",
     "{metadata: {labels: {pool: h100}}, status: {allocatable: {cpu: 96, memory: 1Ti, pods: "
     "110}}}"},
    {"nodeGroups[].slices",
     "[{spec: {driver: gpu.nvidia.com, pool: {name: gpus, resourceSliceCount: 1}, devices: [{name: "
     "gpu-0}]}}]"},
});

const KeyExample* row_of(std::string_view path, std::span<const KeyExample> rows) {
  const auto found = std::ranges::find(rows, path, &KeyExample::path);
  return found == rows.end() ? nullptr : &*found;
}

/// What any key of the form may say.
std::string example_of_form(const PolicyShape& shape) {
  switch (shape.form) {
    case Form::boolean:
      return "true";
    case Form::word:
      return std::string(shape.words.back());
    case Form::duration:
      return "10m";
    case Form::integer:
      return std::to_string(std::max<std::int64_t>(shape.minimum, 1));
    case Form::number:
    case Form::quantity:
      return "1";
    case Form::bound:
      return "unlimited";
    case Form::object:
    case Form::map:
    case Form::list:
    case Form::text:
    case Form::manifest:
      return {};
  }
  return {};
}

}  // namespace

std::span<const KeyExample> key_examples() {
  return examples;
}

std::string example_of(std::string_view path, const PolicyShape& shape,
                       std::span<const KeyExample> rows) {
  const auto* const row = row_of(path, rows);
  return row != nullptr ? std::string(row->yaml) : example_of_form(shape);
}

std::string_view unit_of(std::string_view path, Form form, std::span<const KeyExample> rows) {
  if (form == Form::duration) return "ms, s, m, h, d or w";
  const auto* const row = row_of(path, rows);
  return row != nullptr ? row->unit : std::string_view();
}

std::string path_below(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace dray::wire
