#pragma once

#include <chrono>
#include <string>

#include "dray/base/time.h"
#include "dray/model/object.h"

// Nodes of identical GPUs, claims for some of them, and pods that use the claims.

namespace dray::testing {

inline constexpr Time start = Time(std::chrono::hours(24 * 365 * 50));

inline Node make_node(const std::string& name, std::int64_t cpus = 64) {
  Node node;
  node.meta.name = name;
  node.meta.uid = Uid("uid-" + name);
  node.meta.resource_version = ResourceVersion("1");
  node.allocatable = {
      {"cpu", Quantity(cpus)}, {"memory", Quantity(1LL << 40)}, {"pods", Quantity(110)}};
  return node;
}

inline ResourceSlice make_gpus(const std::string& node, int count) {
  ResourceSlice slice;
  slice.meta.name = node + "-gpus";
  slice.meta.uid = Uid("uid-" + slice.meta.name);
  slice.driver = DriverName("gpu.example.com");
  slice.pool = PoolName(node);
  slice.pool_generation = 1;
  slice.pool_slice_count = 1;
  slice.scope.node_name = NodeName(node);
  for (int i = 0; i < count; ++i) {
    Device device;
    device.name = DeviceName("gpu-" + std::to_string(i));
    slice.devices.push_back(device);
  }
  return slice;
}

inline DeviceClass make_class() {
  DeviceClass device_class;
  device_class.meta.name = "gpu";
  device_class.selectors.push_back({.cel = R"(device.driver == "gpu.example.com")"});
  return device_class;
}

inline ResourceClaim make_claim(const std::string& name, std::int64_t gpus,
                                const std::string& owner = {}) {
  ResourceClaim claim;
  claim.meta.namespace_name = "default";
  claim.meta.name = name;
  claim.meta.uid = Uid("uid-" + name);
  claim.meta.resource_version = ResourceVersion("10");
  if (!owner.empty()) {
    claim.meta.owners.push_back({.api_version = "v1",
                                 .kind = "Pod",
                                 .name = owner,
                                 .uid = Uid("uid-" + owner),
                                 .controller = true});
  }
  DeviceRequestSpec spec;
  spec.device_class = ClassName("gpu");
  spec.allocation_mode = "ExactCount";
  spec.count = gpus;
  claim.spec.requests.push_back({.name = "gpu", .exactly = spec, .first_available = {}});
  return claim;
}

/// A pod with one claim by name, behind dray's gate.
inline Pod make_pod(const std::string& name, const std::string& claim, bool gated = true) {
  Pod pod;
  pod.meta.namespace_name = "default";
  pod.meta.name = name;
  pod.meta.uid = Uid("uid-" + name);
  pod.meta.resource_version = ResourceVersion("20");
  pod.meta.created = start;
  pod.scheduler_name = "dray-scheduler";
  pod.phase = "Pending";
  if (gated) pod.scheduling_gates = {"dray.dev/admission"};
  Container container;
  container.name = "main";
  container.requests = {{"cpu", Quantity(1)}};
  pod.containers = {container};
  if (!claim.empty()) {
    pod.resource_claims.push_back({.name = "gpus", .claim_name = claim, .template_name = {}});
  }
  return pod;
}

}  // namespace dray::testing
