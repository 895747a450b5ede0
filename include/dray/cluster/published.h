#pragma once

#include <vector>

#include "dray/cluster/snapshot.h"

namespace dray::cluster {

/// The node as an object: what NodeFacts keeps of it.
[[nodiscard]] Node node_object(const NodeFacts& facts);

/// The slices of that node alone as objects, with all that decides about allocations. Slices with
/// a selection for each device are left out.
[[nodiscard]] std::vector<ResourceSlice> slices_of_node(const Snapshot& snapshot, NodeIndex node);

}  // namespace dray::cluster
