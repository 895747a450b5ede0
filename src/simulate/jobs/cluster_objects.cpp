#include "simulate/jobs/cluster_objects.h"

#include <fmt/format.h>

#include <charconv>

namespace dray::simulate {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t most_pods_of_node = 1001;

}  // namespace

Node node_object(const GpuNode& node) {
  Node object;
  object.meta.name = node.name;
  object.meta.uid = Uid(node.name);
  object.meta.labels[model_label] = node.model;
  object.allocatable = {{"cpu", Quantity::from_milli(node.milli_cpu)},
                        {"memory", Quantity(node.memory_mib * mebibyte)},
                        {"pods", Quantity(most_pods_of_node)},
                        {gpu_resource, Quantity(node.gpus)}};
  return object;
}

Uid job_uid(std::size_t index) {
  return Uid(fmt::format("{:08}", index));
}

std::size_t index_of(const Uid& uid) {
  std::size_t index = 0;
  std::from_chars(uid.get().data(), uid.get().data() + uid.get().size(), index);
  return index;
}

std::shared_ptr<planner::Job> job_object(const TraceJob& trace, std::size_t index,
                                         policy::QueueName queue) {
  auto job = std::make_shared<planner::Job>();
  job->uid = job_uid(index);
  job->name = job->lineage = trace.name.empty() ? job->uid.get() : trace.name;
  job->queue = std::move(queue);
  job->created = job->queued = trace_start + trace.submitted;
  Pod pod;
  pod.meta.namespace_name = "default";
  pod.phase = "Pending";
  auto& container = pod.containers.emplace_back();
  container.name = "main";
  container.requests = {{"cpu", Quantity::from_milli(trace.ask.milli_cpu)},
                        {"memory", Quantity(trace.ask.memory_mib * mebibyte)}};
  if (trace.ask.gpus > 0) container.requests[gpu_resource] = Quantity(trace.ask.gpus);
  if (!trace.ask.models.empty()) {
    pod.required_node_affinity.emplace().terms.push_back(
        {.match_expressions = {{model_label, "In", trace.ask.models}}, .match_fields = {}});
  }
  for (std::int32_t i = 0; i < trace.pods; ++i) {
    pod.meta.name = fmt::format("{}-{}", job->uid.get(), i);
    pod.meta.uid = Uid(pod.meta.name);
    job->members.push_back({.pod = std::make_shared<const Pod>(pod), .node = {}});
  }
  job->gang = planner::plain_gang(job->members.size(), trace.pods);
  return job;
}

}  // namespace dray::simulate
