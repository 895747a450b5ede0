#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "dray/policy/policy.h"
#include "planner/place/node_ranking.h"

namespace dray::planner {

/// What a node was chosen for, with the numbers of that moment: words are made of it where the
/// member stays there (WhyThere).
struct ChosenFor {
  /// The first that the node has before others.
  enum class Rule : std::uint8_t {
    together,  ///< it takes several members of the gang at once
    promised,  ///< an earlier plan had chosen it
    shares,    ///< a device there is shared already
    domain,    ///< the job prefers its topology domain
    strategy,  ///< of the policy
  };
  Rule rule = Rule::together;
  policy::PlacementStrategy strategy{};
  std::size_t column = 0;  ///< of what nodes have: what the strategy goes by
  double free = 0;         ///< of that, before
  double capacity = 0;
  std::size_t among = 0;  ///< so many nodes
};

/// A node for a member.
struct Choice {
  cluster::NodeIndex node;
  Room room = Room::idle;
  ChosenFor chosen;
};

/// Whether a node takes the member after all, where that says more than its verdict does. It may
/// lower the candidate's preference: others that are ahead of it then are asked first.
using AcceptsNode = std::function<bool(NodeCandidate& candidate, Room room)>;

/// Nodes that seemed to have devices for a member and had none after all, and why.
using BarredNodes = std::map<cluster::NodeIndex, Reason>;

/// Chooses nodes for single members.
class NodeChoice {
 public:
  NodeChoice(const PlanInput& input, const policy::Policy& policy, const Overlay& overlay, Fit& fit,
             NodeRankings& everywhere);

  /// What is known of the order of these nodes. For a set other than Fit::everywhere it is valid
  /// until the next call and as long as the set is what it was.
  [[nodiscard]] NodeRankings& rankings(const NodeSet& among);
  /// The best node, by KAI's rules of node scores in their order: the nominated one, the preferred
  /// domain, a shared device with room, idle room, pods without devices away from nodes that have
  /// them; then the better alternative of `firstAvailable`, then (where the node is all there is to
  /// choose: alloc::Mode::predicted) devices closer together, then the placement strategy of the
  /// policy; then by name. `room`: releasing room will do as well. `accepts` may be empty.
  [[nodiscard]] std::optional<Choice> best(const PlanJob& job, const Task& task,
                                           NodeRankings& rankings, const BarredNodes& barred,
                                           Room room, const AcceptsNode& accepts = {});
  /// `nodes`, all of which take the member: the best first.
  [[nodiscard]] std::vector<cluster::NodeIndex> ranked(const PlanJob& job, const Task& task,
                                                       const NodeSet& nodes);
  /// Nodes judged so far.
  [[nodiscard]] std::size_t judged() const { return judged_; }

 private:
  struct Wish {
    const policy::PlacementStrategy strategy;
    const std::size_t column;
    const bool needs_devices;
    const std::optional<cluster::NodeIndex> nominated;
    const std::int32_t preference;  ///< the most that a node can give
    const bool joins_shares;        ///< a shared device with room comes first
  };

  [[nodiscard]] Wish wish_of(const PlanJob& job, const Task& task);
  [[nodiscard]] ChosenFor chosen_for(const Wish& wish, const NodeSet& among,
                                     const NodeCandidate& found) const;
  /// `verdict` null: the most that the node could get.
  void appraise(const Wish& wish, const NodeSet& among, cluster::NodeIndex node,
                const NodeVerdict* verdict, NodeCandidate& made);
  /// As the node said; false: it does not take the member.
  [[nodiscard]] bool judge(const Wish& wish, const NodeSet& among, cluster::NodeIndex node,
                           Room room, const NodeVerdict& verdict, NodeCandidate& made);
  [[nodiscard]] std::optional<NodeCandidate> find(const Wish& wish, const Task& task,
                                                  const NodeSet& among, NodeRanking& ranking,
                                                  const BarredNodes& barred, Room room,
                                                  const AcceptsNode& accepts);
  [[nodiscard]] std::optional<cluster::NodeIndex> nominated(const Task& task) const;

  const PlanInput& input_;
  const policy::Policy& policy_;
  const Overlay& overlay_;
  Fit& fit_;
  /// By queue and column; asked for when first needed.
  std::vector<std::optional<policy::PlacementStrategy>> strategies_;
  NodeRankings& everywhere_;  ///< kept from plan to plan
  NodeRankings one_set_;
  std::size_t judged_ = 0;
};

}  // namespace dray::planner
