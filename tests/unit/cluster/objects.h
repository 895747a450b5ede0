#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dray/cluster/state.h"
#include "dray/model/claim.h"
#include "dray/model/device.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"

// Small objects for the tests of cluster and alloc.
namespace dray::testing {

inline Quantity quantity(const char* text) {
  return Quantity::parse(text).value();
}

inline Node node(const std::string& name, Labels labels = {}) {
  Node made;
  made.meta.name = name;
  made.meta.labels = std::move(labels);
  made.allocatable = {
      {"cpu", quantity("8")}, {"memory", quantity("16Gi")}, {"pods", quantity("10")}};
  return made;
}

inline Device device(const std::string& name, Attributes attributes = {}) {
  Device made;
  made.name = DeviceName(name);
  made.attributes = std::move(attributes);
  return made;
}

/// A slice of a pool that is called like its node; all there is of the pool.
inline ResourceSlice slice(const std::string& node_name, std::vector<Device> devices,
                           const std::string& driver = "gpu.example.com") {
  ResourceSlice made;
  made.meta.name = driver + "-" + node_name;
  made.driver = DriverName(driver);
  made.pool = PoolName(node_name);
  made.scope.node_name = NodeName(node_name);
  made.devices = std::move(devices);
  return made;
}

inline DeviceClass device_class(const std::string& name, std::vector<std::string> selectors = {}) {
  DeviceClass made;
  made.meta.name = name;
  for (auto& text : selectors) made.selectors.push_back({std::move(text)});
  return made;
}

inline DeviceRequestSpec exactly(std::int64_t count, const std::string& class_name = "any") {
  DeviceRequestSpec spec;
  spec.device_class = ClassName(class_name);
  spec.allocation_mode = "ExactCount";
  spec.count = count;
  return spec;
}

inline DeviceRequest request(const std::string& name, DeviceRequestSpec spec) {
  DeviceRequest made;
  made.name = name;
  made.exactly = std::move(spec);
  return made;
}

inline ResourceClaim claim(const std::string& name, std::vector<DeviceRequest> requests) {
  ResourceClaim made;
  made.meta.namespace_name = "default";
  made.meta.name = name;
  made.meta.uid = Uid("uid-" + name);
  made.spec.requests = std::move(requests);
  return made;
}

inline Pod pod(const std::string& name, const char* cpu = "1") {
  Pod made;
  made.meta.namespace_name = "default";
  made.meta.name = name;
  made.meta.uid = Uid("uid-" + name);
  Container container;
  container.requests = {{"cpu", quantity(cpu)}};
  made.containers.push_back(std::move(container));
  return made;
}

inline DeviceId device_id(const std::string& pool, const std::string& name,
                          const std::string& driver = "gpu.example.com") {
  return {DriverName(driver), PoolName(pool), DeviceName(name)};
}

inline AllocationResult allocation(std::vector<DeviceId> devices) {
  AllocationResult made;
  for (auto& id : devices) {
    AllocatedDevice device;
    device.request = "gpu";
    device.device = std::move(id);
    made.devices.push_back(std::move(device));
  }
  return made;
}

inline Placement placement(const Pod& pod, const std::string& node_name,
                           std::vector<std::pair<ResourceClaim, AllocationResult>> claims = {}) {
  Placement made{
      .pod = pod.key(), .pod_uid = pod.meta.uid, .node = NodeName(node_name), .claims = {}};
  for (auto& [claim, result] : claims) {
    made.claims.push_back({.claim = claim.key(),
                           .claim_uid = claim.meta.uid,
                           .allocation = std::move(result),
                           .already_allocated = false});
  }
  return made;
}

template <class T>
void put(cluster::ClusterState& state, T object) {
  state.apply(cluster::ObjectChanged{std::move(object)});
}

inline void gone(cluster::ClusterState& state, Kind kind, const std::string& name,
                 const std::string& space = "") {
  state.apply(cluster::ObjectGone{kind, space, name, Uid{}});
}

}  // namespace dray::testing
