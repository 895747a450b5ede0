#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/model/meta.h"

namespace dray {

/// Amounts by resource name: cpu, memory, pods, example.com/gpu.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

/// A label that is a node's name, as a rule: no other node gets it.
inline constexpr const char* label_hostname = "kubernetes.io/hostname";

/// core/v1 NodeSelectorRequirement; `op` is In, NotIn, Exists, DoesNotExist, Gt or Lt as written
/// (an operator that the API does not know makes the selector unparseable, not the object).
struct NodeSelectorRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  bool operator==(const NodeSelectorRequirement&) const = default;
};

/// All of its requirements must hold; a term without any matches nothing.
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;

  bool operator==(const NodeSelectorTerm&) const = default;
};

/// One of its terms must hold.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  bool operator==(const NodeSelector&) const = default;
};

/// core/v1 Taint of a node; effect NoSchedule, PreferNoSchedule or NoExecute.
struct NodeTaint {
  std::string key;
  std::string value;
  std::string effect;

  bool operator==(const NodeTaint&) const = default;
};

/// core/v1 Node, as far as scheduling reads it.
struct Node {
  ObjectMeta meta;
  bool unschedulable = false;
  std::vector<NodeTaint> taints;
  ResourceList allocatable;
  std::vector<Condition> conditions;
  std::vector<std::string> declared_features;  ///< status.declaredFeatures

  bool operator==(const Node&) const = default;
};

/// Namespaces matter for admin access (label resource.kubernetes.io/admin-access).
struct Namespace {
  ObjectMeta meta;

  bool operator==(const Namespace&) const = default;
};

}  // namespace dray
