#pragma once

#include <string>
#include <vector>

#include "app/match/match_devices.h"

// A small cluster that selectors are asked of.

namespace dray::app::match_testing {

inline Device device(const std::string& name, const std::string& model) {
  Device one;
  one.name = DeviceName(name);
  one.attributes["model"] = model;
  return one;
}

inline ResourceSlice slice(const std::string& node, std::int64_t generation,
                           std::vector<Device> devices) {
  ResourceSlice one;
  one.driver = DriverName("d.io");
  one.pool = PoolName(node);
  one.pool_generation = generation;
  one.scope.node_name = NodeName(node);
  one.devices = std::move(devices);
  return one;
}

/// Two nodes with an A and a B each, older slices of one of them, and a class for A.
inline std::vector<KubeObject> objects() {
  DeviceClass is_a;
  is_a.meta.name = "a";
  is_a.selectors = {{R"(device.driver == "d.io")"}, {R"(device.attributes["d.io"].model == "A")"}};
  return {slice("n1", 2, {device("x", "A"), device("y", "B")}),
          slice("n0", 1, {device("y", "B"), device("x", "A")}), slice("n1", 1, {device("z", "A")}),
          is_a};
}

struct Match {
  cel::Interner interner;
  std::vector<OfferedDevice> devices = offered_devices(objects(), interner);
  std::vector<NamedSelector> selectors;
  std::vector<DeviceMatch> matches;

  Match(const std::string& class_name, const std::string& expression)
      : selectors(selectors_for(objects(), class_name, expression).value()),
        matches(match_devices(devices, selectors)) {}
};

}  // namespace dray::app::match_testing
