#pragma once

#include <optional>
#include <vector>

#include "dray/cluster/allocated_state.h"
#include "dray/cluster/node_facts.h"
#include "dray/cluster/node_match.h"
#include "dray/model/pod.h"
#include "dray/model/reason.h"

namespace dray::cluster {

/// What kube-scheduler's in-tree filters would say of a pod, prepared once and asked for many
/// nodes: unschedulable, node selector and required affinity, taints, resources, number of pods,
/// host ports. Inter-pod affinity, spreading and volumes are kube-scheduler's alone.
class NodeFit {
 public:
  /// Extended resources that a DeviceClass of `snapshot` stands behind do not count on nodes that
  /// do not offer them (KEP-5004): devices do.
  NodeFit(const Pod& pod, const Snapshot& snapshot);

  /// Reason::none: the pod fits. Reads what is placed on `state` as well.
  [[nodiscard]] Reason check(const AllocatedState& state, NodeIndex node) const;

 private:
  [[nodiscard]] Reason check_selection(const NodeFacts& node) const;
  [[nodiscard]] Reason check_resources(const NodeFacts& node, const NodeUse& use) const;

  NodeUse needs_;
  std::vector<bool> by_class_;  // of needs_.requested.others: a DeviceClass stands behind it
  Labels selector_;
  std::optional<NodeMatcher> affinity_;
  std::vector<NodeToleration> tolerations_;
  bool tolerates_unschedulable_ = false;
};

/// The same for one node.
[[nodiscard]] Reason node_fit(const AllocatedState& state, NodeIndex node, const Pod& pod);

}  // namespace dray::cluster
