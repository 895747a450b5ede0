#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "dray/policy/policy.h"
#include "planner/place/fit.h"

namespace dray::planner {

/// A node for a member.
struct Choice {
  cluster::NodeIndex node;
  Room room = Room::idle;
  std::string_view why = {};  ///< this one, for people
  std::size_t among = 0;      ///< so many nodes
};

/// Nodes that seemed to have devices for a member and had none after all, and why.
using BarredNodes = std::map<cluster::NodeIndex, Reason>;

/// Chooses nodes for single members.
class NodeChoice {
 public:
  NodeChoice(const PlanInput& input, const policy::Policy& policy, const Overlay& overlay,
             Fit& fit);

  /// The best node, by KAI's rules of node scores in their order: the nominated one, the preferred
  /// domain, a shared device with room, idle room, pods without devices away from nodes that have
  /// them; then the better alternative of `firstAvailable`, then (where the node is all there is to
  /// choose: alloc::Mode::predicted) devices closer together, then the placement strategy of the
  /// policy; then by name. `room`: releasing room will do as well.
  [[nodiscard]] std::optional<Choice> best(const PlanJob& job, const Task& task,
                                           const NodeSet& among, const BarredNodes& barred,
                                           Room room);
  /// `nodes`, all of which take the member: the best first.
  [[nodiscard]] std::vector<cluster::NodeIndex> ranked(const PlanJob& job, const Task& task,
                                                       const NodeSet& nodes);

 private:
  struct Score {
    std::int64_t rules = std::numeric_limits<std::int64_t>::min();
    std::uint32_t unready = 0;    ///< devices that have to be made ready: the fewer the better
    std::int32_t preference = 0;  ///< of alternatives, as Kubernetes scores them
    std::int64_t alignment = 0;   ///< of devices that others choose
    double placement = 0;
  };
  struct Candidate {
    Score score;
    std::uint32_t rank = 0;
    cluster::NodeIndex node;
  };
  struct Wish {
    const policy::PlacementStrategy strategy;
    const std::size_t column;
    const bool needs_devices;
    const std::optional<cluster::NodeIndex> nominated;
    const std::int32_t preference;  ///< the most that a node can give
    const bool joins_shares;        ///< a shared device with room comes first
  };
  struct Best;

  [[nodiscard]] Wish wish_of(const PlanJob& job, const Task& task);
  [[nodiscard]] static std::string_view why(const Wish& wish, cluster::NodeIndex node, bool shares);
  /// `verdict` null: the most that the node could get.
  [[nodiscard]] Candidate candidate(const Wish& wish, const NodeSet& among, cluster::NodeIndex node,
                                    const NodeVerdict* verdict) const;
  [[nodiscard]] static bool ahead(const Candidate& a, const Candidate& b);
  [[nodiscard]] std::optional<cluster::NodeIndex> nominated(const Task& task) const;

  const PlanInput& input_;
  const policy::Policy& policy_;
  const Overlay& overlay_;
  Fit& fit_;
  /// By queue and column; asked for when first needed.
  std::vector<std::optional<policy::PlacementStrategy>> strategies_;
};

}  // namespace dray::planner
