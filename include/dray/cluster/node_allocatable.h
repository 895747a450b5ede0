#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/allocated_state.h"
#include "dray/model/placement.h"

namespace dray::cluster {

/// What the devices of these claims take of the node's own resources, claim by claim, sorted; for a
/// pod whose containers refer to them (KEP-5517; upstream's buildNodeAllocatableDRAInfo, with its
/// errors). Empty where no device says so.
[[nodiscard]] Result<std::vector<NodeAllocatableClaim>> node_allocatable_claims(
    const Snapshot& snapshot, NodeIndex node, const Pod& pod,
    const std::vector<ClaimPlacement>& claims);

/// A resource that there is too little of for a pod with what its devices take of the node, in the
/// resource's unit (cpu: thousandths).
struct NodeAllocatableLack {
  std::string resource;
  std::int64_t wanted = 0;   ///< by the pod, its devices' part included
  std::int64_t devices = 0;  ///< of `wanted`: its devices' part
  std::int64_t left = 0;     ///< of the node; or the pod's own budget
  bool of_pod = false;       ///< it is the pod's own budget (spec.resources) that is too small

  bool operator==(const NodeAllocatableLack&) const = default;
};

/// What the node, or the pod's own budget (spec.resources), has too little of for the pod with
/// these claims; nothing: there is room. `before`: what others take that `state` does not know of.
[[nodiscard]] std::optional<NodeAllocatableLack> node_allocatable_lack(
    const AllocatedState& state, NodeIndex node, const Pod& pod,
    const std::vector<NodeAllocatableClaim>& devices, const NodeAmounts& before = {});

/// Whether a device of the allocation stands for a resource of the node: such a claim is one pod's
/// alone.
[[nodiscard]] bool stands_for_node_resource(const Snapshot& snapshot,
                                            const AllocationResult& allocation);

}  // namespace dray::cluster
