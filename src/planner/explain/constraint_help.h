#pragma once

#include <string>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/cluster/allocated_state.h"
#include "dray/planner/pod_claims.h"

namespace dray::planner {

/// What a pod's claims could do without, or with in its place, of their constraints, so that `node`
/// has devices for them: sentences, each tried on the allocator.
[[nodiscard]] std::vector<std::string> help_for_constraints(const cluster::AllocatedState& state,
                                                            cluster::NodeIndex node,
                                                            const PodClaims& claims,
                                                            const alloc::AllocatorOptions& options);

}  // namespace dray::planner
