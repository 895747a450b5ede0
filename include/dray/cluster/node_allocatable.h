#pragma once

#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/allocated_state.h"
#include "dray/model/placement.h"
#include "dray/model/reason.h"

namespace dray::cluster {

/// What the devices of these claims take of the node's own resources, claim by claim, sorted; for a
/// pod whose containers refer to them (KEP-5517; upstream's buildNodeAllocatableDRAInfo, with its
/// errors). Empty where no device says so.
[[nodiscard]] Result<std::vector<NodeAllocatableClaim>> node_allocatable_claims(
    const Snapshot& snapshot, NodeIndex node, const Pod& pod,
    const std::vector<ClaimPlacement>& claims);

/// Whether the node, and the pod's own budget (spec.resources), have room for the pod with these
/// claims. `before`: what others take that `state` does not know of.
[[nodiscard]] Reason node_allocatable_fit(const AllocatedState& state, NodeIndex node,
                                          const Pod& pod,
                                          const std::vector<NodeAllocatableClaim>& devices,
                                          const NodeAmounts& before = {});

/// Whether a device of the allocation stands for a resource of the node: such a claim is one pod's
/// alone.
[[nodiscard]] bool stands_for_node_resource(const Snapshot& snapshot,
                                            const AllocationResult& allocation);

}  // namespace dray::cluster
