#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "dray/model/meta.h"
#include "dray/model/pod.h"

// ResourceClaims that are made for a pod, and how the two know each other
// (pkg/controller/resourceclaim).

namespace dray {

/// By its value, the name of an entry in spec.resourceClaims, the resourceclaim controller knows
/// the claim again.
inline constexpr const char* pod_claim_annotation = "resource.kubernetes.io/pod-claim-name";

/// The pod as its claim's owner.
[[nodiscard]] inline OwnerReference pod_as_owner(std::string name, Uid uid) {
  return {.api_version = "v1",
          .kind = "Pod",
          .name = std::move(name),
          .uid = std::move(uid),
          .controller = true};
}

/// Which claim an entry of spec.resourceClaims stands for.
struct PodClaimName {
  bool known = false;                 ///< else it has yet to be made
  const std::string* name = nullptr;  ///< the pod's; null: it turned out not to need one
};

/// From the spec or, of a claim that is made for the pod, from the status.
[[nodiscard]] inline PodClaimName claim_of_entry(const Pod& pod, const PodResourceClaim& entry) {
  if (entry.claim_name) return {.known = true, .name = &*entry.claim_name};
  const auto made =
      std::ranges::find(pod.resource_claim_statuses, entry.name, &PodResourceClaimStatus::name);
  if (made == pod.resource_claim_statuses.end()) return {};
  return {.known = true, .name = made->claim_name ? &*made->claim_name : nullptr};
}

}  // namespace dray
