#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dray/model/ids.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"

// What kube-scheduler asks an extender and what it is told, free of its wire form
// (k8s.io/kube-scheduler/extender/v1/types.go).

namespace dray::extender {

/// A node sent in full (nodeCacheCapable: false, or a cluster autoscaler's dry run). Its JSON is
/// kept as it came, because the answer echoes it with every field.
struct OfferedNode {
  Node node;
  std::string json;

  bool operator==(const OfferedNode&) const = default;
};

/// Body of filter and of prioritize. kube-scheduler sets one of the two node lists.
struct FilterRequest {
  Pod pod;
  std::optional<std::vector<NodeName>> node_names;
  std::optional<std::vector<OfferedNode>> nodes;

  bool operator==(const FilterRequest&) const = default;
};

/// Refused nodes by reason: reasons are few and constant, so this is shorter than by node.
using Refusals = std::map<std::string, std::vector<NodeName>, std::less<>>;

/// ExtenderFilterResult: which nodes do, and why the others do not.
struct FilterResponse {
  std::vector<NodeName> node_names;  ///< where the pod may go
  Refusals failed;                   ///< FailedNodes: eviction may help; rarely what dray wants
  Refusals failed_unresolvable;      ///< FailedAndUnresolvableNodes: eviction will not help
  std::string error;                 ///< a fault: the attempt fails and is repeated later
  /// Every node that the request names belongs in failed_unresolvable for this reason, where they
  /// are left out: there may be thousands of them.
  std::optional<std::string> all_unresolvable = {};

  bool operator==(const FilterResponse&) const = default;
};

/// Scores 0..10 as documented; kube-scheduler multiplies what it gets.
struct HostPriority {
  NodeName node;
  std::int64_t score = 0;

  bool operator==(const HostPriority&) const = default;
};
/// HostPriorityList; higher is better.
using PrioritizeResponse = std::vector<HostPriority>;

/// ExtenderBindingArgs.
struct BindRequest {
  PodKey pod;
  Uid uid;
  NodeName node;

  bool operator==(const BindRequest&) const = default;
};

/// An empty error means that the API server holds the binding.
struct BindResponse {
  std::string error;

  bool operator==(const BindResponse&) const = default;
};

/// The pods to evict from one node, most important first.
struct NodeVictims {
  std::vector<Uid> pods;
  std::int64_t pdb_violations = 0;

  bool operator==(const NodeVictims&) const = default;
};
/// Victims by their node.
using Victims = std::map<NodeName, NodeVictims>;

/// ExtenderPreemptionArgs.
struct PreemptRequest {
  Pod pod;
  Victims victims;  ///< from either form of the request

  bool operator==(const PreemptRequest&) const = default;
};

/// The nodes that remain candidates, each with at least one victim.
struct PreemptResponse {
  Victims victims;

  bool operator==(const PreemptResponse&) const = default;
};

}  // namespace dray::extender
