#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/policy/config.h"
#include "wire/yaml/config_node.h"

namespace dray::wire {

/// What is wrong with a policy file, and where.
struct PolicyProblem {
  policy::ConfigProblem::Severity severity = policy::ConfigProblem::Severity::error;
  TextPlace place;
  std::string path;
  std::string text;

  /// `7:12: queues[0].quota.gpus: no resource gpus; did you mean gpu?`
  [[nodiscard]] std::string to_string() const;
  bool operator==(const PolicyProblem&) const = default;
};

/// A policy file as read: its problems in the order of the file, and, if none is an error, what it
/// says.
struct PolicyFile {
  std::optional<policy::PolicyConfig> config;
  std::vector<PolicyProblem> problems;
};

/// Reads a policy file and validates it. All problems of its form are found at once; the policy's
/// own rules (policy::validate) are looked at once the form is right.
[[nodiscard]] PolicyFile read_policy(std::string_view yaml);

/// The same for who wants all or nothing; the error has one line a problem.
[[nodiscard]] Result<policy::PolicyConfig> decode_policy(std::string_view yaml);

/// Where in the file these problems of its policy are, in the order of the file.
[[nodiscard]] std::vector<PolicyProblem> in_file(std::string_view yaml,
                                                 std::vector<policy::ConfigProblem> problems);

}  // namespace dray::wire
