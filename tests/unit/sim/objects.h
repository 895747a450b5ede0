#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "dray/model/object.h"

namespace dray::sim {

/// A moment of virtual time, in seconds since the start.
inline Time at(double seconds) {
  return Time(std::chrono::hours(24 * 20'000)) +
         std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

inline Node make_node(const std::string& name, std::int64_t cpus = 8) {
  Node node;
  node.meta.name = name;
  node.meta.labels["kubernetes.io/hostname"] = name;
  node.allocatable = {{"cpu", Quantity(cpus)}, {"pods", Quantity(110)}};
  return node;
}

inline Pod make_pod(const std::string& name, const std::string& scheduler = "dray-scheduler") {
  Pod pod;
  pod.meta.namespace_name = "default";
  pod.meta.name = name;
  pod.scheduler_name = scheduler;
  pod.containers.push_back({.name = "main",
                            .requests = {{"cpu", Quantity(1)}},
                            .limits = {},
                            .claims = {},
                            .restart_always = false,
                            .host_ports = {}});
  return pod;
}

inline DeviceId device(const std::string& node, int index) {
  return {DriverName("gpu.example.com"), PoolName(node),
          DeviceName("gpu-" + std::to_string(index))};
}

inline ClaimSpec one_device_spec(const std::string& request = "gpu") {
  DeviceRequestSpec exactly;
  exactly.device_class = ClassName("gpu.example.com");
  exactly.allocation_mode = "ExactCount";
  exactly.count = 1;
  ClaimSpec spec;
  spec.requests.push_back({.name = request, .exactly = exactly, .first_available = {}});
  return spec;
}

inline ResourceClaim make_claim(const std::string& name) {
  ResourceClaim claim;
  claim.meta.namespace_name = "default";
  claim.meta.name = name;
  claim.spec = one_device_spec();
  return claim;
}

inline ResourceClaimTemplate make_template(const std::string& name) {
  ResourceClaimTemplate object;
  object.meta.namespace_name = "default";
  object.meta.name = name;
  object.claim_labels = {{"made-by", "template"}};
  object.spec = one_device_spec();
  return object;
}

inline AllocationResult allocation_of(const DeviceId& id, const std::string& request = "gpu") {
  AllocatedDevice result;
  result.request = request;
  result.device = id;
  AllocationResult allocation;
  allocation.devices.push_back(result);
  return allocation;
}

inline ClaimConsumer consumer(const std::string& pod, const Uid& uid) {
  return {.api_group = "", .resource = "pods", .name = pod, .uid = uid};
}

}  // namespace dray::sim
