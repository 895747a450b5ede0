#include "engine/node_order.h"

#include <algorithm>

namespace dray::engine {
namespace {

std::int64_t free_devices(const cluster::Snapshot& snapshot, cluster::NodeIndex node) {
  std::int64_t free = 0;
  const auto& entry = snapshot.entry(node);
  for (const auto index : entry.pools) {
    const auto& pool = snapshot.pool(index);
    const auto [first, last] = pool.of_node(entry.facts->name.get());
    for (auto slot = first; slot != last; ++slot) {
      free += static_cast<std::int64_t>(pool.slots[slot].slice->devices.size());
      if (pool.slots[slot].use) free -= static_cast<std::int64_t>(pool.slots[slot].use->size());
    }
  }
  return free;
}

}  // namespace

NodeOrder::NodeOrder(const cluster::Snapshot& snapshot,
                     const std::optional<std::vector<NodeName>>& only) {
  if (only) {
    auto names = *only;
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const auto& name : names) {
      if (const auto node = snapshot.node(name)) nodes_.push_back(*node);
    }
  } else {
    const auto all = snapshot.nodes_by_name();
    nodes_.assign(all.begin(), all.end());
  }
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    free_.push_back(free_devices(snapshot, nodes_[rank]));
    ranks_.emplace(nodes_[rank], rank);
    order_.emplace(free_.back(), rank);
  }
}

void NodeOrder::took(cluster::NodeIndex node, std::size_t devices) {
  const auto found = ranks_.find(node);
  if (found == ranks_.end()) return;
  const auto rank = found->second;
  order_.erase({free_[rank], rank});
  free_[rank] -= static_cast<std::int64_t>(devices);
  order_.emplace(free_[rank], rank);
}

}  // namespace dray::engine
