#pragma once

#include <string>

#include "dray/alloc/features.h"
#include "dray/cluster/allocated_state.h"

namespace dray::alloc {

/// Which pools that the node sees count for nothing, and what is wrong with them, for people:
/// `pool gpu.nvidia.com/n1 has two devices named gpu-0, so its devices do not count`. Two are told,
/// others counted. Empty: none. Pools differ from node to node where all else is alike, so that a
/// Shortage does not name them.
[[nodiscard]] std::string pool_faults(const cluster::AllocatedState& state, cluster::NodeIndex node,
                                      const Features& features);

}  // namespace dray::alloc
