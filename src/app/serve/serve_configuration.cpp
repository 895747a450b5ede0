#include "app/serve/serve_configuration.h"

#include <set>

namespace dray::app {
namespace {

/// Nothing where it says what the flag is without it.
std::vector<std::string> told(const CLI::Option& option) {
  auto values = option.results();
  const auto& standing = option.get_default_str();
  const bool flag = option.get_items_expected_max() == 0;
  if (values.size() == 1 && values.front() == (flag ? "false" : standing)) values.clear();
  return values;
}

}  // namespace

GivenFlags given_flags(const CLI::App& command) {
  GivenFlags given;
  for (const auto* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;
    auto values = told(*option);
    if (!values.empty()) given.emplace(option->get_lnames().front(), std::move(values));
  }
  return given;
}

bool is_reloaded(std::string_view flag) {
  return flag == "verbosity";
}

Result<Reread> read_again(const std::string& file, const GivenFlags& command_line,
                          const GivenFlags& running) {
  Reread reread;
  CLI::App command;
  add_serve_flags(command, reread.flags);
  for (const auto& [flag, values] : command_line) {
    auto* option = command.get_option("--" + flag);
    option->add_result(values);
    option->run_callback();
  }
  if (auto applied = apply_config_file(command, file, dray_configuration()); !applied) {
    return std::unexpected(std::move(applied.error()));
  }
  if (auto options = service_options(reread.flags); !options) {
    return std::unexpected(std::move(options.error()).within(file));
  }
  reread.given = given_flags(command);
  const auto& now = reread.given;
  std::set<std::string> differ;
  for (const auto& [flag, values] : now) {
    const auto before = running.find(flag);
    if (before == running.end() || before->second != values) differ.insert(flag);
  }
  for (const auto& [flag, values] : running) {
    if (!now.contains(flag)) differ.insert(flag);
  }
  for (const auto& flag : differ) {
    if (is_reloaded(flag)) {
      reread.reloads.push_back(flag);
    } else {
      reread.restart.push_back(field_name(flag));
    }
  }
  return reread;
}

}  // namespace dray::app
