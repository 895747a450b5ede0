#pragma once

#include <string>
#include <vector>

#include "alloc/view/amount.h"
#include "dray/alloc/features.h"
#include "dray/cluster/devices.h"
#include "dray/model/claim.h"

namespace dray::alloc {

// Consumable capacity (KEP-5075), rule for rule: consumable_capacity.go of the structured
// allocator.

/// What a request for `asked` (null: none) of one capacity consumes; an Error says what upstream
/// says behind `capacity "name": `.
[[nodiscard]] Result<Quantity> consumed_capacity(const Quantity* asked,
                                                 const DeviceCapacity& capacity, bool fractional);

[[nodiscard]] bool violates_policy(const Quantity& consumed, const CapacityRequestPolicy& policy,
                                   bool fractional);

/// Whether rounding counts in thousandths.
[[nodiscard]] bool counts_in_milli(const CapacityRange& range, bool fractional);

/// What a request takes of devices of certain traits.
struct CapacityPlan {
  enum class Kind : std::uint8_t { fits, unsuitable, error };
  Kind kind = Kind::fits;
  std::string error;
  /// In the order of the device's capacities: taken by the request, and there at all.
  std::vector<Amount> taken;
  std::vector<Amount> total;
  /// The same as the result shows it.
  Counters consumed;
};
[[nodiscard]] CapacityPlan plan_capacity(const Counters& asked, const cluster::DeviceTraits& traits,
                                         bool fractional);

}  // namespace dray::alloc
