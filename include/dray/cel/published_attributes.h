#pragma once

#include "dray/cel/device_shape.h"

namespace dray::cel {

/// The attributes of a device of the shape as its slice may have published them: its driver's own
/// without a domain, versions as semver writes them. None, if one of them cannot be converted.
[[nodiscard]] Attributes published_attributes(const DeviceShape& shape);

}  // namespace dray::cel
