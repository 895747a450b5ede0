#pragma once

#include <string>
#include <string_view>

#include "tests/commands/child.h"

namespace dray::commands_test {

/// YAML of a ready node and its slice; `devices` is the slice's list, as `[{name: g0}]`.
inline std::string node_with(std::string_view name, std::string_view devices,
                             std::string_view driver = "gpu.example.com") {
  constexpr std::string_view text = R"(---
apiVersion: v1
kind: Node
metadata: {name: NAME}
status: {allocatable: {cpu: "8", pods: "100"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s-NAME}
spec:
  driver: DRIVER
  nodeName: NAME
  pool: {name: NAME, generation: 1, resourceSliceCount: 1}
  devices: DEVICES
)";
  return replaced(replaced(replaced(std::string(text), "NAME", name), "DRIVER", driver), "DEVICES",
                  devices);
}

/// YAML of the DeviceClass of all devices of a driver.
inline std::string class_of(std::string_view name, std::string_view driver) {
  constexpr std::string_view text = R"(---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: NAME}
spec: {selectors: [{cel: {expression: 'device.driver == "DRIVER"'}}]}
)";
  return replaced(replaced(std::string(text), "NAME", name), "DRIVER", driver);
}

}  // namespace dray::commands_test
