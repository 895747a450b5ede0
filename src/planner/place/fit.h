#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dray/base/aged_map.h"
#include "dray/base/sparse_vector.h"
#include "planner/place/devices.h"
#include "planner/state/overlay.h"

namespace dray::planner {

/// What a node said to a shape, in the state that `stamp` names.
struct NodeVerdict {
  std::uint64_t stamp = 0;
  Reason idle = Reason::none;       ///< whether its idle room does
  Reason releasing = Reason::none;  ///< whether that does with what others are releasing
  bool shares = false;              ///< a device that others share has room for it
  bool shares_releasing = false;    ///< …but only with what others are releasing
  std::uint32_t unready = 0;        ///< devices that have to be made ready first
  std::int32_t preference = 0;      ///< of alternatives, as in alloc::Fit
  std::int64_t alignment = 0;       ///< as in alloc::Fit
  /// Why devices do not do: now, or, if they do not do either, with what others are releasing.
  std::shared_ptr<const alloc::Shortage> shortage;

  [[nodiscard]] Reason in(Room room) const { return room == Room::idle ? idle : releasing; }
};

/// Verdicts by shape and node, kept from plan to plan: with too many of them, those of the shapes
/// that came first are forgotten, a shape at a time.
class NodeVerdicts {
 public:
  /// At most so many are remembered: 256 MiB, whatever shapes tenants think of.
  static constexpr std::size_t most_held = (std::size_t{256} << 20U) / sizeof(NodeVerdict);
  explicit NodeVerdicts(std::size_t most = most_held) : most_(most) {}

  /// The place for a verdict; no reference that was given before holds any more.
  [[nodiscard]] NodeVerdict& at(const Shape& shape, cluster::NodeIndex node);
  /// The verdict in it; null: there is none.
  [[nodiscard]] const NodeVerdict* find(const Shape& shape, cluster::NodeIndex node) {
    if (last_.shape != shape.number) look_up(shape);
    return last_.row == nullptr ? nullptr : last_.row->find(node.get());
  }
  /// Verdicts that memory is held for.
  [[nodiscard]] std::size_t held() const { return held_; }
  void clear();

 private:
  using Row = SparseVector<NodeVerdict>;  ///< by node: few of many nodes are looked at
  /// The shape that was asked for last.
  struct Last {
    std::optional<std::uint32_t> shape;
    Row* row = nullptr;  ///< null: it has none
  };
  void look_up(const Shape& shape);
  void forget_oldest();

  AgedMap<std::uint32_t, Row> rows_;  ///< by the shape's number
  Last last_;
  std::size_t most_;
  std::size_t held_ = 0;
};

/// Where members may go, in the order of names, and how much each node is wanted besides.
struct NodeSet {
  std::vector<cluster::NodeIndex> nodes;
  std::vector<std::int64_t> bonus;  ///< by node index; empty: none
};

/// Whether nodes take pods: the filters of kube-scheduler, and devices.
class Fit {
 public:
  Fit(const PlanInput& input, Overlay& overlay, Devices& devices, NodeVerdicts& verdicts);

  /// Whether the node takes the member. Valid until the next call.
  [[nodiscard]] const NodeVerdict& verdict(const Task& task, cluster::NodeIndex node);
  /// The same if it need not be worked out; else null.
  [[nodiscard]] const NodeVerdict* known(const Task& task, cluster::NodeIndex node) {
    if (task.shape->singular) return nullptr;
    const auto& nodes = overlay_.nodes();
    const auto* known = verdicts_.find(*task.shape, node);
    return known != nullptr && known->stamp == nodes.stamp(node) ? known : nullptr;
  }
  /// Whether kube-scheduler refused nodes for some pods.
  [[nodiscard]] bool refuses_some() const { return !input_.refused.empty(); }
  /// Whether kube-scheduler refused the node for that very pod.
  [[nodiscard]] bool refused(const Task& task, cluster::NodeIndex node) const {
    return refuses_some() && is_refused(task, node);
  }
  /// Why a claim of the member cannot be evaluated on the node; empty: it can.
  [[nodiscard]] std::string error_on(const Task& task, cluster::NodeIndex node);

  /// What there is too little of for the member with what its devices take of the node (KEP-5517).
  [[nodiscard]] std::optional<cluster::NodeAllocatableLack> lack_with_devices(
      const Task& task, cluster::NodeIndex node);
  /// Which pools of the node count for nothing, and why (alloc::pool_faults); empty: none.
  [[nodiscard]] const std::string& pool_faults(cluster::NodeIndex node);

  /// Every node that takes pods at all, or those that the input names.
  [[nodiscard]] const NodeSet& everywhere() const { return everywhere_; }
  /// (pod, node) pairs that were looked at in full.
  [[nodiscard]] std::size_t tried() const { return tried_; }
  /// From now on so many pairs may be looked at. (At first: the plan's budget.)
  void allow(std::size_t pairs);
  /// How many more.
  [[nodiscard]] std::size_t allowed() const { return limit_ - std::min(limit_, tried_); }
  /// So many of these were looked at elsewhere.
  void spend(std::size_t pairs) { limit_ -= std::min(pairs, allowed()); }
  /// Whether one more pair is allowed; if not, what was allowed is exhausted.
  [[nodiscard]] bool may_try();
  /// The same for a pair that is looked at once more, which counts.
  [[nodiscard]] bool try_again() {
    const bool may = may_try();
    tried_ += may ? 1 : 0;
    return may;
  }
  /// Whether that ended a search: what was not found may be there.
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  [[nodiscard]] bool is_refused(const Task& task, cluster::NodeIndex node) const;
  [[nodiscard]] NodeVerdict look(const Task& task, cluster::NodeIndex node);
  [[nodiscard]] Reason look_in(const cluster::AllocatedState& state, const Task& task,
                               cluster::NodeIndex node, NodeVerdict& verdict);
  [[nodiscard]] bool has_shared_room(const cluster::AllocatedState& state, const Shape& shape,
                                     cluster::NodeIndex node) const;

  const PlanInput& input_;
  Overlay& overlay_;
  Devices& devices_;
  NodeVerdicts& verdicts_;
  NodeSet everywhere_;
  NodeVerdict passing_;  ///< of a shape whose verdicts are not kept
  std::unordered_map<std::uint32_t, std::string> pool_faults_;  ///< of nodes that were asked
  std::size_t tried_ = 0;
  std::size_t limit_;  ///< of tried_
  bool exhausted_ = false;
};

}  // namespace dray::planner
