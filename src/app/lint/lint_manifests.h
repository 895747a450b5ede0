#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "wire/validation/validate.h"

namespace dray::app {

/// Something that the API server would refuse.
struct LintFinding {
  std::string file;
  wire::TextPlace place;  ///< line 0: the message has it
  std::string object;     ///< `ResourceClaim default/gpus`; empty: none could be read
  std::string path;       ///< of the field: `spec.devices.requests[0].name`
  std::string message;

  /// `claim.yaml:7:12: ResourceClaim default/gpus: spec.devices…: Required value`
  [[nodiscard]] std::string text() const;
};

struct LintResult {
  std::vector<LintFinding> findings;
  std::size_t objects = 0;      ///< that were checked
  std::size_t expressions = 0;  ///< of CEL, in them
};

/// Checks all objects of a file, of lists as well; of versions of resource.k8s.io before v1, and of
/// objects without one, only the CEL expressions.
[[nodiscard]] LintResult lint_manifests(std::string_view text, const std::string& file,
                                        const wire::ValidationOptions& options = {});

/// Adds the file's namespaces to those that are known.
void read_namespaces(std::string_view text, wire::ValidationOptions& options);

}  // namespace dray::app
