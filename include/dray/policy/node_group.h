#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/model/device.h"
#include "dray/model/node.h"
#include "dray/policy/keys.h"

namespace dray::policy {

/// Nodes that a cluster autoscaler can add, and what such a node is: a node pool of a cloud, a
/// Karpenter NodePool.
struct NodeGroup {
  std::string name;
  std::optional<std::int32_t> max_nodes;  ///< in all, those with its labels counted; absent: any
  std::optional<NodeName> like;           ///< what is not given below is as this node has it
  std::optional<Node> node;               ///< labels, taints, allocatable; its name is no matter
  std::optional<std::vector<ResourceSlice>> slices;  ///< of that node alone; names are no matter

  bool operator==(const NodeGroup&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& group) {
    io.required("name", group.name, "For people, and where a pod is told of it.");
    io.key("maxNodes", group.max_nodes, at_least(0),
           "How many nodes it has at most, those counted that have all its node's labels. Absent: "
           "any number.");
    io.key("like", group.like,
           "A node of the cluster that a new one is like, in what node and slices do not say.");
    io.key("node", group.node, "The labels, taints and allocatable resources of a new node.");
    io.key("slices", group.slices,
           "The ResourceSlices that a new node's drivers publish: specifications with their pool, "
           "whose names are made anew for each node.");
  }
};

}  // namespace dray::policy
