#include "app/simulate/scenario.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "app/common/config_file.h"
#include "app/common/files.h"
#include "app/simulate/schedulers.h"
#include "app/simulate/sources.h"

namespace dray::app {
namespace {

namespace fs = std::filesystem;

std::string source_in_folder(const std::string& value, const std::string& folder) {
  const auto source = parse_source(value);
  if (!source.is_file) return value;
  const auto path = in_folder(source.path, folder);
  return source.form.empty() ? path : source.form + ":" + path;
}

/// The file of `3h changes FILE`.
std::string churn_in_folder(const std::string& value, const std::string& folder) {
  constexpr std::string_view word = " changes ";
  const auto at = value.find(word);
  if (at == std::string::npos) return value;
  return value.substr(0, at + word.size()) + in_folder(value.substr(at + word.size()), folder);
}

}  // namespace

std::string value_in_folder(std::string_view flag, const std::string& value,
                            const std::string& folder) {
  constexpr std::array<std::string_view, 7> files{
      "order", "decisions", "report", "checkpoint", "token-file", "kubeconfig", "ca-file"};
  if (std::ranges::find(files, flag) != files.end()) return in_folder(value, folder);
  if (flag == "churn") return churn_in_folder(value, folder);
  if (flag == "cluster" || flag == "workload") return source_in_folder(value, folder);
  if (flag == "policy" && is_policy_file(value)) return in_folder(value, folder);
  return value;
}

Result<void> apply_scenario(CLI::App& command, const std::string& path) {
  const auto folder = path == "-" ? std::string() : fs::path(path).parent_path().string();
  return apply_config_file(command, path,
                           {.kind = "Scenario",
                            .own_flag = "filename",
                            .value_of = [&folder](std::string_view flag, const std::string& value) {
                              return value_in_folder(flag, value, folder);
                            }});
}

}  // namespace dray::app
