#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "dray/cluster/snapshot.h"

namespace dray::engine {

/// The nodes in the order in which they are tried: fewest free devices first, so that whole nodes
/// stay whole for those who need them; then by name.
class NodeOrder {
 public:
  /// All nodes of the snapshot, or those of `only` that it has.
  NodeOrder(const cluster::Snapshot& snapshot, const std::optional<std::vector<NodeName>>& only);

  /// `visit` is bool(NodeIndex): false ends the walk, as it must after took().
  template <class Visit>
  void walk(const Visit& visit) const {
    for (const auto& [free, rank] : order_) {
      if (!visit(nodes_[rank])) return;
    }
  }
  [[nodiscard]] bool contains(cluster::NodeIndex node) const { return ranks_.contains(node); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// `devices` of the node were taken.
  void took(cluster::NodeIndex node, std::size_t devices);

 private:
  std::vector<cluster::NodeIndex> nodes_;  ///< by name
  std::vector<std::int64_t> free_;         ///< by rank in nodes_
  std::map<cluster::NodeIndex, std::size_t> ranks_;
  std::set<std::pair<std::int64_t, std::size_t>> order_;
};

}  // namespace dray::engine
