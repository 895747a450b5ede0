#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/dst/storm.h"

namespace dray::dst {

inline constexpr const char* driver_name = "gpu.example.com";

inline Node make_node(const std::string& name) {
  Node node;
  node.meta.name = name;
  node.allocatable = {{"cpu", Quantity(64)}, {"pods", Quantity(110)}};
  return node;
}

inline ResourceSlice make_slice(const std::string& node, int devices) {
  ResourceSlice slice;
  slice.meta.name = node + "-gpus";
  slice.driver = DriverName(driver_name);
  slice.pool = PoolName(node);
  slice.pool_generation = 1;
  slice.scope.node_name = NodeName(node);
  for (int i = 0; i < devices; ++i) {
    Device device;
    device.name = DeviceName("gpu-" + std::to_string(i));
    slice.devices.push_back(device);
  }
  return slice;
}

inline DeviceClass make_class() {
  DeviceClass object;
  object.meta.name = driver_name;
  return object;
}

inline ClaimSpec spec_for(std::int64_t devices) {
  DeviceRequestSpec exactly;
  exactly.device_class = ClassName(driver_name);
  exactly.allocation_mode = "ExactCount";
  exactly.count = devices;
  ClaimSpec spec;
  spec.requests.push_back({.name = "gpu", .exactly = exactly, .first_available = {}});
  return spec;
}

inline ResourceClaimTemplate make_template(std::int64_t devices) {
  ResourceClaimTemplate object;
  object.meta.namespace_name = "default";
  object.meta.name = "gpus-" + std::to_string(devices);
  object.spec = spec_for(devices);
  return object;
}

inline ResourceClaim make_shared_claim(const std::string& name) {
  ResourceClaim claim;
  claim.meta.namespace_name = "default";
  claim.meta.name = name;
  claim.spec = spec_for(1);
  return claim;
}

inline PodGroup make_group(const std::string& name, std::int32_t minimum) {
  PodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = name;
  group.min_count = minimum;
  return group;
}

inline Pod make_pod(const std::string& name) {
  Pod pod;
  pod.meta.namespace_name = "default";
  pod.meta.name = name;
  pod.scheduler_name = "dray-scheduler";
  pod.containers.push_back({.name = "main",
                            .requests = {{"cpu", Quantity(1)}},
                            .limits = {},
                            .claims = {},
                            .restart_always = false,
                            .host_ports = {}});
  return pod;
}

/// The cluster and the workload of a seed.
struct World {
  int nodes;
  int devices;  ///< of each node
  int pods;
  int gangs;
  bool gated;
  bool protect_claims;
  bool nominate;
  bool plan_inline;
  Duration bind_timeout;
  Duration reservation_life;

  static World of(Dice& dice) {
    return {.nodes = static_cast<int>(dice.between(1, 4)),
            .devices = static_cast<int>(dice.between(1, 3)),
            .pods = static_cast<int>(dice.between(4, 16)),
            .gangs = dice.chance(60) ? static_cast<int>(dice.between(1, 3)) : 0,
            .gated = dice.chance(65),
            .protect_claims = dice.chance(50),
            .nominate = dice.chance(30),
            .plan_inline = dice.chance(30),
            .bind_timeout = std::chrono::seconds(dice.chance(50) ? 30 : 2),
            .reservation_life = std::chrono::seconds(dice.chance(60) ? 90 : 3)};
  }

  [[nodiscard]] sim::LoopOptions loop_options(std::uint64_t seed) const {
    sim::LoopOptions options;
    options.server.gate_pods = gated;
    options.server.protect_claims = protect_claims;
    options.server.seed = seed;
    options.scheduler.seed = seed;
    options.engine.nominate_from_nodes = nominate ? 1 : 1000;
    options.engine.plan_inline = plan_inline;
    options.engine.reservation_life = reservation_life;
    options.bind_timeout = bind_timeout;
    return options;
  }

  [[nodiscard]] static std::string node_name(int index) { return "n" + std::to_string(index); }
};

}  // namespace dray::dst
