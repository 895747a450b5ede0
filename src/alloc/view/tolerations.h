#pragma once

#include <span>

#include "dray/model/claim.h"
#include "dray/model/device.h"

namespace dray::alloc {

/// resourceclaim.ToleratesTaint.
[[nodiscard]] bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint);

/// Only the known effects keep a device from a pod.
[[nodiscard]] bool blocks(const DeviceTaint& taint, std::span<const DeviceToleration> tolerations);

/// Whether a rule's selector takes in the device. A rule without a selector takes in all devices
/// in 0.37.0, none later.
[[nodiscard]] bool applies(const DeviceTaintRule& rule, const DriverName& driver,
                           const PoolName& pool, const std::string& device, bool bare_rules_apply);

}  // namespace dray::alloc
