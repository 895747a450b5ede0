#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "dray/policy/placement_strategy.h"
#include "planner/place/fit.h"

namespace dray::planner {

/// What a node is worth to a member: of a node that was not looked at, the most that it could be.
struct NodeCandidate {
  std::int64_t rules = std::numeric_limits<std::int64_t>::min();
  std::int32_t preference = 0;  ///< of alternatives, as Kubernetes scores them
  std::uint32_t unready = 0;    ///< devices that have to be made ready: the fewer the better
  std::int64_t alignment = 0;   ///< of devices that others choose
  double placement = 0;
  std::uint32_t rank = 0;
  cluster::NodeIndex node;
  std::uint64_t stamp = 0;  ///< of the node's state for which this holds
  bool looked = false;
  bool idle = false;    ///< once looked at: its idle room does
  bool shares = false;  ///< …and a device that others share

  /// Whether the member goes here rather than there.
  [[nodiscard]] bool ahead_of(const NodeCandidate& other) const {
    if (rules != other.rules) return rules > other.rules;
    if (preference != other.preference) return preference > other.preference;
    if (unready != other.unready) return unready < other.unready;
    if (alignment != other.alignment) return alignment > other.alignment;
    if (placement != other.placement) return placement > other.placement;
    return rank < other.rank;
  }
};

/// Members that want the same of the nodes of one set.
struct MemberKind {
  std::size_t shape = 0;
  std::size_t column = 0;
  policy::PlacementStrategy strategy{};
  Room room = Room::idle;

  auto operator<=>(const MemberKind&) const = default;
};

/// The nodes of a set as one kind of member wants them. It is kept from member to member: only
/// nodes that changed since are judged again, so a gang costs its nodes once and not once a pod.
class NodeRanking {
 public:
  /// Brings it up to date; `members` says of each node index whether it is in the set. `judge`,
  /// given a node and a NodeCandidate, fills in what it is worth now; false: it does not take the
  /// member. (A template: for the first of a kind it is called for each node there is.)
  template <class Judge>
  void refresh(const NodeTable& nodes, const NodeSet& among, const std::vector<bool>& members,
               const Judge& judge) {
    const auto changed = seen_ ? nodes.changed_since(*seen_) : std::nullopt;
    const auto size = among.nodes.size();
    // Whatever was changed and taken back leaves a candidate more.
    if (!changed || changed->size() > size || heap_.size() > 2 * size) {
      heap_.clear();
      heap_.reserve(size);
      for (const auto node : among.nodes) {
        if (!judge(node, heap_.emplace_back())) heap_.pop_back();
      }
      make_heap();
    } else {
      for (const auto node : *changed) {
        if (!members[node.get()]) continue;
        if (NodeCandidate found; judge(node, found)) put(found);
      }
    }
    seen_ = nodes.changes();
  }
  /// The best of what is left, if there is one.
  [[nodiscard]] const NodeCandidate* best(const NodeTable& nodes);
  NodeCandidate take_best();
  void put(const NodeCandidate& candidate);

 private:
  struct Behind {
    bool operator()(const NodeCandidate& a, const NodeCandidate& b) const { return b.ahead_of(a); }
  };
  void make_heap();

  std::vector<NodeCandidate> heap_;    ///< may name a node of before, which no longer counts
  std::optional<std::uint64_t> seen_;  ///< of the nodes' changes; nothing: all is to be judged
};

/// The rankings of one set of nodes.
class NodeRankings {
 public:
  /// Another set, or the same that may have changed: nothing is known.
  void restart(const NodeSet& among, std::size_t limit);
  /// The set of the next plan, wanted for nothing but what nodes are. Where it is the one before,
  /// what is known stays: of each node as long as it has its stamp.
  void go_on(const NodeSet& among, std::size_t limit);
  /// Verdicts of nodes are void, whatever their stamps.
  void clear() { by_kind_.clear(); }
  [[nodiscard]] const NodeSet& among() const { return *among_; }
  [[nodiscard]] const std::vector<bool>& members() const { return members_; }
  [[nodiscard]] NodeRanking& of(const MemberKind& kind);

 private:
  const NodeSet* among_ = nullptr;
  std::vector<cluster::NodeIndex> known_;   ///< the set, for go_on()
  std::vector<bool> members_;               ///< by node index
  std::vector<cluster::NodeIndex> marked_;  ///< those in members_
  std::map<MemberKind, NodeRanking> by_kind_;
};

}  // namespace dray::planner
