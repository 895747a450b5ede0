#pragma once

#include <optional>

#include "dray/alloc/features.h"
#include "dray/cluster/devices.h"
#include "dray/model/claim.h"

namespace dray::alloc {

/// What a request for `asked` consumes of a device with these traits (KEP-5075), as its allocation
/// will say: empty where the device is given away as a whole. Nothing: such a device does not
/// satisfy the request.
[[nodiscard]] std::optional<Counters> consumption(const Counters& asked,
                                                  const cluster::DeviceTraits& traits,
                                                  const Features& features);

}  // namespace dray::alloc
