#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

  /// What stands behind the Reason of check(), for people; nothing where it fits.
  struct Lack {
    std::string what;  ///< `label zone=a`, `taint k=v:NoSchedule`, `cpu`, `port TCP/80`
    /// Of a resource, in its unit (cpu: thousandths).
    std::int64_t wanted = 0;
    std::int64_t left = 0;

    bool operator==(const Lack&) const = default;
  };
  [[nodiscard]] Lack lack(const AllocatedState& state, NodeIndex node) const;

 private:
  /// The first resource that the node has too little of.
  struct Short {
    std::string_view resource;
    std::int64_t wanted = 0;
    std::int64_t left = 0;
  };
  [[nodiscard]] const Labels::value_type* other_label(const NodeFacts& node) const;
  [[nodiscard]] const NodeTaint* untolerated(const NodeFacts& node) const;
  [[nodiscard]] const HostPort* taken_port(const NodeUse& use) const;
  [[nodiscard]] std::optional<Short> short_of(const NodeFacts& node, const NodeUse& use) const;

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
