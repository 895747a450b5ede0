#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dray/cluster/state.h"
#include "dray/policy/config.h"

namespace dray::planner {

/// A cluster of its own that has only nodes which groups of the policy could add, one after
/// another, beside the classes and device taint rules of the real one. As cluster-autoscaler
/// simulates new nodes: each has its own name, pools and host name label.
class TemplateNodes {
 public:
  /// A group of the policy with what its nodes are like.
  struct Group {
    const policy::NodeGroup* config = nullptr;
    std::string problem;  ///< why it says nothing of its nodes; empty: it does
    Node node;
    std::vector<ResourceSlice> slices;
    std::size_t left = 0;  ///< so many nodes more may it have
  };

  TemplateNodes(const cluster::Snapshot& real, const policy::PolicyConfig& config);

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// A new node of the group, which has one left.
  NodeName add(std::size_t group);
  /// Such slices of a node, with pools of its own.
  void publish(const NodeName& node, const std::vector<ResourceSlice>& slices);
  /// Takes back the last one that was added.
  void remove_last();

  /// The nodes that there are, in the order in which they were added, each of a group.
  struct Added {
    NodeName name;
    std::size_t group = 0;
  };
  [[nodiscard]] const std::vector<Added>& nodes() const { return nodes_; }
  [[nodiscard]] cluster::ClusterState& cluster() { return cluster_; }

 private:
  void describe(const cluster::Snapshot& real, const policy::NodeGroup& config);

  std::vector<Group> groups_;
  std::vector<Added> nodes_;
  cluster::ClusterState cluster_;
};

}  // namespace dray::planner
