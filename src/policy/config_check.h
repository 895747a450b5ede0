#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "dray/policy/config.h"

namespace dray::policy {

/// Where the checks of validate() write what they find.
class ConfigProblems {
 public:
  template <class... Args>
  void error(std::string path, fmt::format_string<Args...> text, Args&&... args) {
    found_.push_back({ConfigProblem::Severity::error, std::move(path),
                      fmt::format(text, std::forward<Args>(args)...)});
  }
  template <class... Args>
  void warn(std::string path, fmt::format_string<Args...> text, Args&&... args) {
    found_.push_back({ConfigProblem::Severity::warning, std::move(path),
                      fmt::format(text, std::forward<Args>(args)...)});
  }
  [[nodiscard]] std::vector<ConfigProblem> take() && { return std::move(found_); }

 private:
  std::vector<ConfigProblem> found_;
};

/// Names, parents, bounds and weights of the queues.
void check_queues(const PolicyConfig& config, ConfigProblems& problems);
/// That no value is below the least one that its key's description allows.
void check_ranges(const PolicyConfig& config, ConfigProblems& problems);
/// All else.
void check_resources(const PolicyConfig& config, ConfigProblems& problems);
void check_devices(const PolicyConfig& config, ConfigProblems& problems);
void check_actions(const PolicyConfig& config, ConfigProblems& problems);
void check_node_groups(const PolicyConfig& config, ConfigProblems& problems);

/// Whether the text may be a label key, an attribute or a resource: `name` or `domain/name`.
[[nodiscard]] bool is_qualified_name(std::string_view text, bool domain_needed);
/// Whether the text is a DNS subdomain, as the names of classes and queues are.
[[nodiscard]] bool is_subdomain(std::string_view text);

/// The names that placements, quotas, limits and weights may use.
[[nodiscard]] std::vector<std::string> resource_names(const PolicyConfig& config);
/// An error where `name` is none of them.
void check_resource_name(const PolicyConfig& config, std::string_view name, const std::string& path,
                         ConfigProblems& problems);

}  // namespace dray::policy
