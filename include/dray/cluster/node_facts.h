#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/base/strong.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"

namespace dray::cluster {

/// A node's place in ClusterState and its snapshots: dense, and the same as long as the node is
/// there; a new node may get the index of one that went.
using NodeIndex = Strong<std::uint32_t, struct NodeIndexTag>;

/// Amounts of node resources as kube-scheduler counts them (framework.Resource): cpu in
/// thousandths, everything else in units, rounded up. Saturated, never wrapped.
struct NodeAmounts {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t pods = 0;
  std::vector<std::pair<std::string, std::int64_t>> others;  ///< by name, sorted

  /// Of a resource that has no member here; 0 if there is none.
  [[nodiscard]] std::int64_t other(std::string_view name) const;
  /// Resource by resource; saturated.
  void add(const NodeAmounts& more);
  void subtract(const NodeAmounts& less);
  bool operator==(const NodeAmounts&) const = default;
};

/// As framework.NewResource reads a list.
[[nodiscard]] NodeAmounts amounts_of(const ResourceList& list);

/// What a pod asks of its node (resourcehelper.PodRequests): per resource the larger of the sum of
/// its containers with its sidecars and the highest need of its init containers, plus overhead;
/// `spec.resources` in place of the containers' where it is set. `pods` is 1.
[[nodiscard]] NodeAmounts requests_of(const Pod& pod);
/// The same with what the devices of its claims take (KEP-5517) by these in place of its status.
[[nodiscard]] NodeAmounts requests_of(const Pod& pod,
                                      const std::vector<NodeAllocatableClaim>& devices);
/// Of its containers alone, devices included.
[[nodiscard]] ResourceList containers_request(const Pod& pod,
                                              const std::vector<NodeAllocatableClaim>& devices);

/// Host ports as kube-scheduler compares them: the same protocol and port clash unless both have
/// different addresses other than 0.0.0.0.
[[nodiscard]] std::vector<HostPort> host_ports_of(const Pod& pod);
/// Whether the two cannot be on one node.
[[nodiscard]] bool ports_clash(const HostPort& a, const HostPort& b);

/// Sorted pairs; nodes with equal labels share one.
using LabelSet = std::vector<std::pair<std::string, std::string>>;
/// The value of the label, or null.
[[nodiscard]] const std::string* find_label(const LabelSet& labels, std::string_view key);

/// What dray keeps of a Node: the parts that nodes have in common are shared. Immutable.
struct NodeFacts {
  NodeName name;
  Uid uid;
  ResourceVersion resource_version;
  bool unschedulable = false;
  /// Every label but kubernetes.io/hostname, which no two nodes share.
  std::shared_ptr<const LabelSet> labels;
  std::optional<std::string> hostname_label;
  std::shared_ptr<const std::vector<NodeTaint>> taints;
  std::shared_ptr<const NodeAmounts> allocatable;
  std::shared_ptr<const std::vector<std::string>> declared_features;

  /// The value of the label, kubernetes.io/hostname included, or null.
  [[nodiscard]] const std::string* label(std::string_view key) const;
};

/// What the pods on a node (and those assumed on it) take of it.
struct NodeUse {
  NodeAmounts requested;
  std::vector<HostPort> ports;  ///< sorted; one entry a pod and port

  /// Amounts and ports; subtract() takes off what was added before.
  void add(const NodeUse& more);
  void subtract(const NodeUse& less);
  bool operator==(const NodeUse&) const = default;
};
/// What the pod takes of the node that it is on: requests_of() and host_ports_of().
[[nodiscard]] NodeUse use_of(const Pod& pod);
/// The same with what the devices of its claims take.
[[nodiscard]] NodeUse use_of(const Pod& pod, const std::vector<NodeAllocatableClaim>& devices);
/// Whether the pods surely use the same of a node; quicker than comparing that.
[[nodiscard]] bool same_use(const Pod& a, const Pod& b);

}  // namespace dray::cluster
