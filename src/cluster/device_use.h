#pragma once

#include "dray/cluster/devices.h"
#include "dray/model/claim.h"

namespace dray::cluster {

/// Whether two allocations of a claim name the same devices for the same requests.
[[nodiscard]] bool same_devices(const AllocationResult& a, const AllocationResult& b);

/// What one allocated device takes; nothing with admin access.
void add_use(DeviceUse& use, const AllocatedDevice& device);
void remove_use(DeviceUse& use, const AllocatedDevice& device);

}  // namespace dray::cluster
