#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/objects/claims.h"
#include "tests/objects/pods.h"

// Allocated claims and their pods, for the audit's tests.

namespace dray::testing {

inline AllocatedDevice device_of(const std::string& name) {
  AllocatedDevice device;
  device.device = {DriverName("gpu.example.com"), PoolName("n0"), DeviceName(name)};
  return device;
}

/// Has the device; allocated at that second; `users` are pods.
inline ResourceClaim holder(const std::string& name, const std::string& device, int at,
                            const std::vector<std::string>& users) {
  auto claim = make_claim(name, 1);
  claim.allocation = AllocationResult{};
  claim.allocation->devices = {device_of(device)};
  claim.allocation->allocated = Time{} + std::chrono::seconds(at);
  for (const auto& user : users) {
    claim.reserved_for.push_back(
        {.api_group = "", .resource = "pods", .name = user, .uid = Uid("uid-" + user)});
  }
  return claim;
}

inline Pod user_pod(const std::string& name, bool bound) {
  auto pod = make_pod(name, "c-" + name);
  if (bound) pod.node_name = NodeName("n0");
  return pod;
}

}  // namespace dray::testing
