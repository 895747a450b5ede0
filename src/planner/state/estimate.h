#pragma once

#include "dray/alloc/features.h"
#include "dray/model/claim.h"
#include "dray/policy/counting.h"
#include "planner/state/device_offers.h"

namespace dray::planner {

/// What a claim without devices may come to take.
struct ClaimEstimate {
  policy::Amounts asked;     ///< at most, of lists by their first alternatives: what shares count
  policy::Amounts least;     ///< whatever it gets, it takes no less…
  policy::Amounts most;      ///< …and no more
  double devices = 0;        ///< as `asked`
  double least_devices = 0;  ///< that are nobody else's
  bool exact = true;         ///< whatever it gets, it takes `least`
  /// What of DeviceOffers it depends on.
  bool by_sharing = false;  ///< DeviceOffers::sharing_version()
  bool by_offers = false;   ///< DeviceOffers::version()
};

/// Estimates by the sizes of the devices that a class has in the cluster, and by how many a node
/// has. `offers` null: nothing is known of them.
[[nodiscard]] ClaimEstimate estimate(const ResourceClaim& claim, const policy::Counting& counting,
                                     const DeviceOffers* offers, const alloc::Features& features);

}  // namespace dray::planner
