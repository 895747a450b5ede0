#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wire/yaml/config_node.h"

namespace dray::app {

/// Something that the API server would refuse.
struct LintFinding {
  std::string file;
  wire::TextPlace place;
  std::string message;  ///< object, field and Kubernetes' own words

  /// `claim.yaml:9:24: ResourceClaim default/c0: spec.…: Invalid value: …`
  [[nodiscard]] std::string text() const;
};

struct LintResult {
  std::size_t expressions = 0;
  std::vector<LintFinding> findings;
};

/// Checks every CEL expression of the DeviceClasses, ResourceClaims and ResourceClaimTemplates in a
/// file (YAML or JSON, many documents, lists) as kube-apiserver 1.37 does for new objects, with its
/// default feature gates: type, length and cost. Places are those of the error within the
/// expression. A file that is no YAML is a finding.
[[nodiscard]] LintResult lint_expressions(std::string_view text, const std::string& file);

}  // namespace dray::app
