#pragma once

#include "dray/cluster/devices.h"
#include "dray/model/claim.h"

namespace dray::cluster {

/// What one allocated device takes; nothing with admin access.
void add_use(DeviceUse& use, const AllocatedDevice& device);
void remove_use(DeviceUse& use, const AllocatedDevice& device);

}  // namespace dray::cluster
