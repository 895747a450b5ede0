#include "simulate/jobs/cluster_objects.h"

#include <fmt/format.h>

#include <charconv>

#include "dray/model/pod_claim.h"

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
                        {GpuKind().node_resource, Quantity(node.gpus)}};
  return object;
}

void for_each_object(const Cluster& cluster, const ObjectStream::Visit& visit) {
  if (!cluster.objects.empty()) return cluster.objects.for_each(visit);
  for (const auto& node : cluster.nodes) visit(node_object(node));
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
                                         policy::QueueName queue, const GpuKind& gpus,
                                         bool known_run_time) {
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
  const bool claims = trace.ask.gpus > 0 && !gpus.device_class.get().empty();
  if (trace.ask.gpus > 0 && !claims) {
    container.requests[gpus.node_resource] = Quantity(trace.ask.gpus);
  }
  // What the admission plugin ExtendedResourceToleration gives pods that ask for devices.
  if (trace.ask.gpus > 0) {
    auto& toleration = pod.tolerations.emplace_back();
    toleration.key = gpus.node_resource;
    toleration.op = "Exists";
  }
  if (!trace.ask.models.empty()) {
    pod.required_node_affinity.emplace().terms.push_back(
        {.match_expressions = {{model_label, "In", trace.ask.models}}, .match_fields = {}});
  }
  if (known_run_time && trace.run_time) {
    pod.active_deadline_seconds = std::chrono::ceil<std::chrono::seconds>(*trace.run_time).count();
  }
  for (std::int32_t i = 0; i < trace.pods; ++i) {
    pod.meta.name = fmt::format("{}-{}", job->uid.get(), i);
    pod.meta.uid = Uid(pod.meta.name);
    if (claims) pod.resource_claims = {{"gpus", pod.meta.name, std::nullopt}};
    job->members.push_back({.pod = std::make_shared<const Pod>(pod), .node = {}});
  }
  job->gang = planner::plain_gang(job->members.size(), trace.pods);
  return job;
}

std::optional<ResourceClaim> claim_object(const Pod& pod, const TraceJob& job,
                                          const GpuKind& gpus) {
  if (pod.resource_claims.empty()) return std::nullopt;
  ResourceClaim claim;
  claim.meta.namespace_name = pod.meta.namespace_name;
  claim.meta.name = *pod.resource_claims.front().claim_name;
  claim.meta.uid = Uid(claim.meta.name + "-claim");
  claim.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
  DeviceRequest request;
  request.name = "gpus";
  auto& exactly = request.exactly.emplace();
  exactly.device_class = gpus.device_class;
  exactly.allocation_mode = "ExactCount";
  exactly.count = job.ask.gpus;
  claim.spec.requests.push_back(std::move(request));
  return claim;
}

}  // namespace dray::simulate
