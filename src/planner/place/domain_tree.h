#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/cluster/snapshot.h"

namespace dray::planner {

/// A topology's domains over the nodes of a snapshot. A node belongs to a domain of each level down
/// to the first label that it lacks.
class DomainTree {
 public:
  DomainTree(const cluster::Snapshot& snapshot, const std::vector<std::string>& levels,
             std::span<const cluster::NodeIndex> nodes);

  struct Domain {
    std::optional<std::size_t> parent;
    std::size_t level = 0;  ///< 0: the whole, i: by the first i labels
    std::string value;      ///< of the label
    std::vector<std::size_t> children;
    std::vector<cluster::NodeIndex> nodes;  ///< by name
  };
  [[nodiscard]] const std::vector<Domain>& domains() const { return domains_; }

 private:
  std::vector<Domain> domains_;
};

}  // namespace dray::planner
