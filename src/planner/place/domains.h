#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/policy/policy.h"
#include "planner/place/domain_tree.h"
#include "planner/place/fit.h"

namespace dray::planner {

/// The node sets of a topology constraint: where a group of members may go together.
class Domains {
 public:
  Domains(const policy::Policy& policy, Fit& fit, const Overlay& overlay)
      : policy_(policy), fit_(fit), overlay_(overlay) {}

  /// Whether the constraint asks for nothing.
  [[nodiscard]] static bool anywhere(const policy::TopologyConstraint& constraint);
  /// The domains that may take all of `tasks`, the best first: the lowest level first, then the one
  /// that they fill most (KAI's order, pkg/scheduler/plugins/topology). Members that have their
  /// nodes pin the required domain. Just `among` where there is no constraint.
  [[nodiscard]] std::vector<NodeSet> sets(const policy::TopologyConstraint& constraint,
                                          std::span<Task* const> tasks,
                                          std::span<const cluster::NodeIndex> taken,
                                          const NodeSet& among);

  /// How many members like this one the node has room for once those who are going have gone, at
  /// most.
  [[nodiscard]] std::size_t room_for(Task& task, cluster::NodeIndex node);
  /// Whether the nodes might take all members together: a bound, no search.
  [[nodiscard]] bool may_take(std::span<Task* const> tasks,
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
  /// Places in the tree, by level.
  using Order = std::vector<std::vector<std::size_t>>;
  [[nodiscard]] std::vector<std::vector<cluster::NodeIndex>> nodes_by_domain(
      std::span<const DomainTree::Domain> domains, const NodeSet& among) const;
  [[nodiscard]] Order by_fullness(std::span<const DomainTree::Domain> domains,
                                  std::span<const std::vector<cluster::NodeIndex>> allowed,
                                  const Levels& levels, std::span<Task* const> tasks,
                                  std::span<const cluster::NodeIndex> pins) const;
  [[nodiscard]] std::vector<std::int64_t> bonus_of(std::span<const DomainTree::Domain> domains,
                                                   const Levels& levels, const Order& order) const;
  /// By what the tasks ask for, or by the least that they take.
  enum class By : std::uint8_t { asked, least };
  [[nodiscard]] double fullness(std::span<Task* const> tasks,
                                std::span<const cluster::NodeIndex> nodes, By by) const;

  const policy::Policy& policy_;
  Fit& fit_;
  const Overlay& overlay_;
  std::map<std::string, DomainTree, std::less<>> trees_;
};

}  // namespace dray::planner
