#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "dray/cluster/devices.h"
#include "dray/model/claim.h"
#include "dray/model/ids.h"

namespace dray::alloc {

/// How much an allocation may take of what its caller counts, such as the resources of a tenant's
/// queue.
struct Allowance {
  /// By resource. One of which an allocation takes nothing does not bound it, whatever stands here.
  std::vector<double> most;
  /// Adds to `takes`, by resource, what a device counts for that a request of the class gets.
  /// `claim` is the place of its claim among those that are allocated; `consumed` is null for a
  /// whole device.
  std::function<void(std::size_t claim, const ClassName& device_class, const DriverName& driver,
                     const cluster::DeviceTraits& traits, const Counters* consumed,
                     std::span<double> takes)>
      count;
};

}  // namespace dray::alloc
