#pragma once

#include <memory>
#include <vector>

#include "dray/model/device.h"
#include "dray/policy/policy.h"
#include "tests/cases/kai_objects.h"

namespace dray::cases {

/// A case's queues, topologies and settings of KAI.
[[nodiscard]] std::shared_ptr<const policy::Policy> read_kai_policy(
    const Json& json, const KaiTraits& traits, const std::vector<DeviceClass>& classes);

}  // namespace dray::cases
