#pragma once

#include <string>
#include <utility>

#include "dray/model/meta.h"

// What a ResourceClaim that is made for a pod carries (pkg/controller/resourceclaim).

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

}  // namespace dray
