#pragma once

#include <compare>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/claim.h"
#include "dray/model/pod.h"
#include "dray/policy/config.h"

namespace dray::engine {

// KAI's pod annotations for parts of devices, as consumable capacity (KEP-5075). A pod's claims are
// settled when it is created, so an admission policy (manifests/shares.yaml) gives it an entry in
// spec.resourceClaims whose template is nowhere; the claim is made by dray, owned by the pod, and
// the resourceclaim controller takes it for the one that it would have made.

/// A decimal above 0 and at most 1: the part of each device.
inline constexpr const char* fraction_annotation = "gpu-fraction";
/// The memory of each part, in MiB.
inline constexpr const char* gpu_memory_annotation = "gpu-memory";
/// From how many devices a part is taken; 1 where absent.
inline constexpr const char* fraction_devices_annotation = "gpu-fraction-num-devices";
/// The container that gets the parts; the first where absent.
inline constexpr const char* fraction_container_annotation = "gpu-fraction-container-name";
/// Of the entry, and of the template that there is none of.
inline constexpr const char* share_entry = "dray-share";

/// Whether the pod bears one of the first two annotations.
[[nodiscard]] bool asks_for_share(const Pod& pod);
/// The entry that the admission policy adds, and the container that it belongs to: what the
/// embedded API server does to a pod that is created.
void add_share_entry(Pod& pod);
/// Whether the pod has the entry.
[[nodiscard]] bool has_share_entry(const Pod& pod);

/// Devices of which parts can be had: one driver's, of one size.
struct ShareOffer {
  DriverName driver;
  Quantity memory;
  std::vector<Quantity> others;  ///< in the order of policy::Fractions::others

  /// By driver, then memory, then the others.
  auto operator<=>(const ShareOffer&) const = default;
  bool operator==(const ShareOffer&) const = default;
};

/// The claim for the pod's annotations, of `offers` with the smallest memory first. Where devices
/// of several sizes need several amounts, these are alternatives, the smallest device first.
/// `invalid`: an annotation is wrong; `not_found`: no device offers so much; `unsupported`: the
/// rule does not say how, or there are too many sizes.
[[nodiscard]] Result<ResourceClaim> share_claim(const Pod& pod, const policy::Fractions& rule,
                                                const std::vector<ShareOffer>& offers);

}  // namespace dray::engine
