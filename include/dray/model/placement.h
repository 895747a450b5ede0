#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dray/model/claim.h"
#include "dray/model/ids.h"
#include "dray/model/pod.h"

namespace dray {

/// The claim that dray makes for a pod's extended resources (KEP-5004) when it binds the pod.
struct ExtendedResources {
  ClaimSpec spec;
  std::vector<ExtendedResourceMapping> mappings;

  bool operator==(const ExtendedResources&) const = default;
};

/// What one claim gets on a node.
struct ClaimPlacement {
  ClaimKey claim;
  Uid claim_uid;  ///< empty: the claim is not made yet
  AllocationResult allocation;
  bool already_allocated = false;  ///< a shared claim that has its devices: only a user is added
  std::optional<ExtendedResources> extended = {};  ///< of the pod's extended resources

  bool operator==(const ClaimPlacement&) const = default;
};

/// Where one pod goes and what it gets there.
struct Placement {
  PodKey pod;
  Uid pod_uid;
  NodeName node;
  std::vector<ClaimPlacement> claims;
  /// What the devices take of the node's own resources, for the pod's status (KEP-5517).
  std::vector<NodeAllocatableClaim> node_allocatable = {};

  bool operator==(const Placement&) const = default;
};

/// Whether the pod, by its spec and status, names a claim that the placement lacks, or one that is
/// yet to be made: a claim that Kubernetes makes for a pod may be deleted and made anew under
/// another name after the pod was placed.
[[nodiscard]] bool uses_other_claims(const Pod& pod, const Placement& placement);

}  // namespace dray
