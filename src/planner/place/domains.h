#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/place/fit.h"

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

/// The node sets of a topology constraint: where a group of members may go together.
class PlanDomains {
 public:
  PlanDomains(const policy::Policy& policy, PlanFit& fit, PlanOverlay& overlay)
      : policy_(policy), fit_(fit), overlay_(overlay) {}

  /// The domains that may take all of `tasks`, the best first: the lowest level first, then the one
  /// that they fill most (KAI's order, pkg/scheduler/plugins/topology). Members that have their
  /// nodes pin the required domain. Just `among` where there is no constraint.
  [[nodiscard]] std::vector<NodeSet> sets(const policy::TopologyConstraint& constraint,
                                          std::span<PlanTask* const> tasks,
                                          std::span<const cluster::NodeIndex> taken,
                                          const NodeSet& among);

  /// Nodes that could take all of `tasks` were they empty, those with the most free first, within
  /// one domain where the job asks for that; empty: there are none.
  [[nodiscard]] std::vector<cluster::NodeIndex> roomiest(const PlanJob& job,
                                                         std::span<PlanTask* const> tasks,
                                                         const NodeSet& among);

  /// How many members like this one the node has room for soon, at most.
  [[nodiscard]] std::size_t room_for(PlanTask& task, cluster::NodeIndex node);
  /// Whether the nodes might take all members together: a bound, no search.
  [[nodiscard]] bool may_take(std::span<PlanTask* const> tasks,
                              std::span<const cluster::NodeIndex> nodes);

 private:
  struct Levels {
    std::size_t lowest = 0;
    std::size_t highest = 0;
    std::size_t preferred = 0;  ///< 0: none
    bool required = false;
  };
  [[nodiscard]] std::optional<Levels> levels_of(const policy::TopologyConstraint& constraint,
                                                const std::vector<std::string>& keys) const;
  const DomainTree& tree_of(const std::string& topology, const std::vector<std::string>& keys);
  [[nodiscard]] double fullness(std::span<PlanTask* const> tasks,
                                std::span<const cluster::NodeIndex> nodes) const;

  const policy::Policy& policy_;
  PlanFit& fit_;
  PlanOverlay& overlay_;
  std::map<std::string, DomainTree, std::less<>> trees_;
};

}  // namespace dray::planner
