#pragma once

#include <span>

#include "dray/cluster/snapshot.h"
#include "dray/model/placement.h"

// Which nodes judge a pool by more than their own slices of it.

namespace dray::cluster {

/// Whether the pool has slices of several nodes, each by its name. Such nodes see each other's
/// counters, generations and numbers of slices: Pool::version moves when one of these changes.
[[nodiscard]] bool spans_nodes(const Pool& pool);

/// Whether the use of a device of the pool changes what nodes other than its own may have of it.
[[nodiscard]] bool use_reaches_other_nodes(const Pool& pool);

/// Whether that is so of a pool that one of the placement's devices is of.
[[nodiscard]] bool reaches_other_nodes(const Snapshot& snapshot, const Placement& placement);

/// Calls `visit(NodeIndex)` with each node of the snapshot that has a slice of the pool by its
/// name, once each.
template <class F>
void for_each_node_of(const Snapshot& snapshot, const Pool& pool, F&& visit) {
  const std::string* last = nullptr;
  for (const auto& slot : pool.slots) {  // in the order of node names
    const auto& name = slot.slice->node_name();
    if (name.empty() || (last != nullptr && *last == name)) continue;
    last = &name;
    if (const auto node = snapshot.node(NodeName(name))) visit(*node);
  }
}

}  // namespace dray::cluster
