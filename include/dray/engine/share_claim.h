#pragma once

#include <compare>
#include <span>
#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/snapshot.h"
#include "dray/engine/share_wish.h"
#include "dray/model/claim.h"
#include "dray/model/pod.h"
#include "dray/policy/config.h"

namespace dray::engine {

// What share_wish.h reads as consumable capacity (KEP-5075). The claim is made by dray, owned by
// the pod, and the resourceclaim controller takes it for the one that it would have made.

/// Devices of which parts can be had: one driver's, of one size.
struct ShareOffer {
  DriverName driver;
  Quantity memory;
  std::vector<Quantity> others;  ///< in the order of policy::Fractions::others

  /// By driver, then memory, then the others.
  auto operator<=>(const ShareOffer&) const = default;
  bool operator==(const ShareOffer&) const = default;
};

/// The sizes of the snapshot's devices of which parts can be had, the smallest memory first.
[[nodiscard]] std::vector<ShareOffer> share_offers(const cluster::Snapshot& snapshot,
                                                   const policy::Fractions& rule);

/// Requests for the wishes, of `offers` with the smallest memory first. Where devices of several
/// sizes need several amounts, these are alternatives, the smallest device first. `invalid`: too
/// many devices for one claim; `not_found`: no device offers so much; `unsupported`: the rule does
/// not say how, or there are too many sizes.
[[nodiscard]] Result<ClaimSpec> share_spec(std::span<const ShareWish> wishes,
                                           const policy::Fractions& rule,
                                           const std::vector<ShareOffer>& offers);

/// The claim for what the pod asks for; Errors of wishes_of() and of share_spec().
[[nodiscard]] Result<ResourceClaim> share_claim(const Pod& pod, const policy::Fractions& rule,
                                                const std::vector<ShareOffer>& offers);

}  // namespace dray::engine
