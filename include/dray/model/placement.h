#pragma once

#include <string>
#include <vector>

#include "dray/model/claim.h"
#include "dray/model/ids.h"

namespace dray {

/// What one claim gets on a node.
struct ClaimPlacement {
  ClaimKey claim;
  Uid claim_uid;
  AllocationResult allocation;
  bool already_allocated = false;  ///< a shared claim that has its devices: only a user is added

  bool operator==(const ClaimPlacement&) const = default;
};

/// Where one pod goes and what it gets there.
struct Placement {
  PodKey pod;
  Uid pod_uid;
  NodeName node;
  std::vector<ClaimPlacement> claims;

  bool operator==(const Placement&) const = default;
};

}  // namespace dray
