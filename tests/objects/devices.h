#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dray/model/device.h"
#include "tests/objects/meta.h"

namespace dray::testing {

/// The driver of devices where a test names none.
inline constexpr const char* gpu_driver = "gpu.example.com";

inline Device device(const std::string& name, Attributes attributes = {}) {
  Device made;
  made.name = DeviceName(name);
  made.attributes = std::move(attributes);
  return made;
}

/// The only slice of a node's pool, which is called like the node.
inline ResourceSlice make_slice(const std::string& node, std::vector<Device> devices,
                                const std::string& driver = gpu_driver) {
  ResourceSlice slice;
  slice.meta = cluster_meta(driver + "-" + node);
  slice.driver = DriverName(driver);
  slice.pool = PoolName(node);
  slice.pool_generation = 1;
  slice.pool_slice_count = 1;
  slice.scope.node_name = NodeName(node);
  slice.devices = std::move(devices);
  return slice;
}

/// So many devices without attributes: gpu-0, gpu-1, ... in slice "NODE-gpus".
inline ResourceSlice make_gpus(const std::string& node, int count) {
  auto slice = make_slice(node, {});
  slice.meta = cluster_meta(node + "-gpus");
  for (int i = 0; i < count; ++i) slice.devices.push_back(device("gpu-" + std::to_string(i)));
  return slice;
}

inline DeviceClass make_class(const std::string& name,
                              const std::vector<std::string>& selectors = {}) {
  DeviceClass made;
  made.meta = cluster_meta(name);
  for (const auto& text : selectors) made.selectors.push_back({text});
  return made;
}

/// All devices of a driver.
inline DeviceClass make_driver_class(const std::string& name, const std::string& driver) {
  return make_class(name, {"device.driver == \"" + driver + "\""});
}

/// Class "gpu": what make_gpus() publishes.
inline DeviceClass make_class() {
  return make_driver_class("gpu", gpu_driver);
}

inline DeviceId device_id(const std::string& pool, const std::string& name,
                          const std::string& driver = gpu_driver) {
  return {DriverName(driver), PoolName(pool), DeviceName(name)};
}

}  // namespace dray::testing
