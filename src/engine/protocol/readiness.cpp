#include "engine/protocol/readiness.h"

#include <algorithm>
#include <string>

namespace dray::engine {

Readiness readiness(const ResourceClaim& claim, Duration timeout, Time now) {
  if (!claim.allocation) return Readiness::ready;
  auto found = Readiness::ready;
  for (const auto& device : claim.allocation->devices) {
    if (device.binding_conditions.empty()) continue;
    const auto status = std::ranges::find_if(claim.device_statuses, [&](const auto& each) {
      return each.device == device.device && each.share_id == device.share_id;
    });
    const auto is_true = [&](const std::string& type) {
      return status != claim.device_statuses.end() &&
             std::ranges::any_of(status->conditions, [&](const auto& condition) {
               return condition.type == type && condition.status == "True";
             });
    };
    if (std::ranges::any_of(device.binding_failure_conditions, is_true)) return Readiness::failed;
    if (!std::ranges::all_of(device.binding_conditions, is_true)) found = Readiness::pending;
  }
  const auto since = claim.allocation->allocated;
  if (found == Readiness::pending && since && now - *since >= timeout) {
    return Readiness::timed_out;
  }
  return found;
}

bool has_binding_conditions(const AllocationResult& allocation) {
  return std::ranges::any_of(allocation.devices,
                             [](const auto& device) { return !device.binding_conditions.empty(); });
}

}  // namespace dray::engine
