#pragma once

#include <vector>

#include "dray/cluster/devices.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/claim.h"
#include "dray/model/ids.h"

namespace dray::cluster {

/// Whether a request with the toleration may get a device with the taint
/// (resourceclaim.ToleratesTaint).
[[nodiscard]] bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint);

/// What keeps claims off a device: its own taints and those of DeviceTaintRules, but for those
/// whose effect is None. They live as long as the snapshot.
[[nodiscard]] std::vector<const DeviceTaint*> taints_of(const Snapshot& snapshot,
                                                        const DeviceId& id,
                                                        const DeviceTraits& traits);

}  // namespace dray::cluster
