#include "app/common/policy_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "app/common/exit_status.h"
#include "app/common/files.h"
#include "dray/policy/cluster_check.h"
#include "wire/policy/policy_codec.h"

namespace dray::app {

Result<policy::PolicyConfig> load_policy(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  auto config = wire::decode_policy(*text);
  if (!config) return std::unexpected(std::move(config.error()).within(path));
  return config;
}

std::vector<std::string> warnings_about(const std::string& path, const policy::PolicyConfig& config,
                                        const cluster::Snapshot& snapshot) {
  auto problems = policy::check_against(config, snapshot);
  std::vector<std::string> warnings;
  if (problems.empty()) return warnings;
  // The standard input is read once.
  const Result<std::string> text = path == "-" ? fail(ErrorCode::invalid, "") : read_file(path);
  if (!text) {
    for (const auto& each : problems) warnings.push_back(path + ": " + policy::text_of(each));
    return warnings;
  }
  for (const auto& each : wire::in_file(*text, std::move(problems))) {
    warnings.push_back(path + ":" + each.to_string());
  }
  return warnings;
}

int status_with_policy(const Error& error, std::string_view path) {
  const bool of_file = error.code == ErrorCode::invalid && !path.empty() &&
                       error.message.starts_with(std::string(path) + ":");
  return of_file ? exit_status::invalid_policy : exit_status::of(error);
}

Result<int> refuse_policy(std::string_view command, const Error& error) {
  if (error.code != ErrorCode::invalid) return std::unexpected(error);
  fmt::print(stderr, "dray {}: {}\n", command, error.message);
  return exit_status::invalid_policy;
}

}  // namespace dray::app
