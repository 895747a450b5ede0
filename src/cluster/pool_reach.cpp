#include "dray/cluster/pool_reach.h"

#include <algorithm>

namespace dray::cluster {

bool spans_nodes(const Pool& pool) {
  if (pool.slots.empty()) return false;
  // Sorted by node; slices that are of no node come first.
  const auto named = std::ranges::find_if(
      pool.slots, [](const auto& slot) { return !slot.slice->node_name().empty(); });
  return named != pool.slots.end() &&
         named->slice->node_name() != pool.slots.back().slice->node_name();
}

bool use_reaches_other_nodes(const Pool& pool) {
  if (pool.slots.empty()) return false;
  if (pool.slots.front().slice->node_name().empty()) return true;
  return pool.has_counters && spans_nodes(pool);
}

bool reaches_other_nodes(const Snapshot& snapshot, const Placement& placement) {
  return std::ranges::any_of(placement.claims, [&](const auto& claim) {
    return std::ranges::any_of(claim.allocation.devices, [&](const auto& each) {
      const auto pool = snapshot.find_pool(each.device.driver, each.device.pool);
      return pool && use_reaches_other_nodes(snapshot.pool(*pool));
    });
  });
}

}  // namespace dray::cluster
