#pragma once

#include <optional>
#include <string>

#include "dray/base/error.h"
#include "dray/model/claim.h"
#include "dray/model/pod.h"

namespace dray::sim {

/// What claim a pod's reference means (DRA/resourceclaim/resourceclaim.go Name).
struct ClaimName {
  std::optional<std::string> name;  ///< nothing: none is needed
  bool check_owner = false;         ///< made from a template: must be the pod's own
};

/// not_found while the claim was not made yet.
[[nodiscard]] Result<ClaimName> claim_name(const Pod& pod, const PodResourceClaim& reference);

[[nodiscard]] bool owned_by(const ResourceClaim& claim, const Uid& pod);

/// The pod will not run (any more): isPodDone.
[[nodiscard]] bool pod_done(const Pod& pod);

/// `namespace/name`
[[nodiscard]] std::string object_key(const ObjectMeta& meta);

}  // namespace dray::sim
