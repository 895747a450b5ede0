#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/node_facts.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"

namespace dray::cluster {

/// A NodeSelector ready to be matched: terms are ORed, the requirements of a term ANDed, a term
/// without any matches nothing. What k8s.io/component-helpers/scheduling/corev1/nodeaffinity does.
/// Immutable; any thread may match.
class NodeMatcher {
 public:
  /// An operator, key, value or field that Kubernetes does not accept is an Error, as upstream's
  /// NewNodeSelector.
  [[nodiscard]] static Result<NodeMatcher> compile(const NodeSelector& selector);
  /// As NewLazyErrorNodeSelector: terms that do not parse match nothing, the others count.
  [[nodiscard]] static NodeMatcher compile_lazily(const NodeSelector& selector);

  /// Whether one of the terms holds for the node; of no terms none does.
  [[nodiscard]] bool matches(const NodeFacts& node) const;

 private:
  enum class Op : std::uint8_t { in, not_in, exists, does_not_exist, greater, less };
  struct Requirement {
    std::string key;
    Op op = Op::in;
    std::vector<std::string> values;
    std::int64_t number = 0;  // Gt, Lt
    bool field = false;       // of metadata.name
  };
  using Term = std::vector<Requirement>;

  [[nodiscard]] static Result<Requirement> compile_label(const NodeSelectorRequirement& given);
  [[nodiscard]] static Result<Requirement> compile_field(const NodeSelectorRequirement& given);
  [[nodiscard]] static Result<Term> compile_term(const NodeSelectorTerm& given);
  [[nodiscard]] static bool holds(const Requirement& requirement, const NodeFacts& node);

  std::vector<Term> terms_;
};

/// The text of a NodeSelector in upstream's error messages (Go's generated String()).
[[nodiscard]] std::string go_string(const NodeSelector& selector);

/// core/v1 Toleration.ToleratesTaint.
[[nodiscard]] bool tolerates(const NodeToleration& toleration, const NodeTaint& taint);

}  // namespace dray::cluster
