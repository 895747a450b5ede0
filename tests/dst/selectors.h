#pragma once

#include <string>

#include "tests/dst/facts.h"

namespace dray::dst {

/// Why a device is not what the request's class and selectors ask for, by reading them anew with
/// nothing of what the allocator remembers; empty: it is, or was a moment ago.
std::string why_unsuited(const Facts& facts, const DeviceRequestSpec& request,
                         const DeviceId& device);

}  // namespace dray::dst
