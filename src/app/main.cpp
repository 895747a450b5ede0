#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "app/common/command.h"
#include "app/common/exit_status.h"
#include "app/serve/time_zones.h"
#include "dray/base/suggest.h"
#include "dray/cel/time_zone.h"

namespace {

/// The command that was named, or the one above it.
const CLI::App& named_command(const CLI::App& app) {
  const auto* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// `of: node not in {nodes,drivers,jobs}`: the value that may have been meant.
std::string hint_for_value(std::string_view error) {
  constexpr std::string_view not_in = " not in {";
  const auto at = error.find(not_in);
  const auto from = error.find(": ");
  if (at == std::string_view::npos || from >= at) return {};
  const auto value = error.substr(from + 2, at - from - 2);
  auto list = error.substr(at + not_in.size());
  list = list.substr(0, list.find('}'));
  std::vector<std::string> known;
  for (const auto each : std::views::split(list, ',')) known.emplace_back(each.begin(), each.end());
  const auto hint = dray::suggest_near(value, known);
  return hint.empty() ? hint : std::string(value) + hint;
}

/// For words that nothing expected: the flags and commands that may have been meant.
void print_hints(const CLI::App& app, const CLI::ParseError& error) {
  if (const auto hint = hint_for_value(error.what()); !hint.empty()) {
    fmt::print(stderr, "{}\n", hint);
  }
  const auto* command = &named_command(app);
  std::vector<std::string> known;
  for (const auto* below : command->get_subcommands({})) known.push_back(below->get_name());
  for (const auto* option : command->get_options()) {
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const auto& word : app.remaining(true)) {
    const auto hint = dray::suggest_near(word, known);
    if (!hint.empty()) fmt::print(stderr, "{}{}\n", word, hint);
  }
}

/// How people call it: kubectl runs its plugin `dray` by the name of kubectl-dray.
std::string called_as(const std::string& program) {
  return std::filesystem::path(program).filename() == "kubectl-dray" ? "kubectl dray" : "dray";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("dray: a scheduling brain for accelerators on Kubernetes",
               called_as(argc > 0 ? argv[0] : ""));
  app.require_subcommand(1);
  app.set_version_flag("--version", DRAY_VERSION);
  dray::cel::set_time_zone_source(dray::app::read_time_zone);
  std::map<std::string, std::unique_ptr<dray::app::Command>> commands;
  commands["serve"] = dray::app::add_serve(app);
  commands["demo"] = dray::app::add_demo(app);
  commands["allocate"] = dray::app::add_allocate(app);
  commands["explain"] = dray::app::add_explain(app);
  commands["match"] = dray::app::add_match(app);
  commands["convert"] = dray::app::add_convert(app);
  commands["lint"] = dray::app::add_lint(app);
  commands["repair"] = dray::app::add_repair(app);
  commands["policy"] = dray::app::add_policy(app);
  commands["record"] = dray::app::add_record(app);
  commands["replay"] = dray::app::add_replay(app);
  commands["snapshot"] = dray::app::add_snapshot(app);
  commands["doctor"] = dray::app::add_doctor(app);
  commands["handback"] = dray::app::add_handback(app);
  commands["simulate"] = dray::app::add_simulate(app);
  commands["queues"] = dray::app::add_queues(app);
  commands["devices"] = dray::app::add_devices(app);
  commands["top"] = dray::app::add_top(app);
  commands["limits"] = dray::app::add_limits(app);
  commands["completion"] = dray::app::add_completion(app);
  commands["man"] = dray::app::add_man(app);
  const std::string first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with('-') && !commands.contains(first)) {
    const auto names = std::views::keys(commands);
    fmt::print(stderr, "dray: no command \"{}\"{}\n", first,
               dray::suggest(first, std::vector<std::string>(names.begin(), names.end())));
    return dray::app::exit_status::usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Where a command was left out, and nothing else is wrong, all that there are.
    const auto& asked = named_command(app);
    if (error.get_name() == "RequiredError" && !asked.get_subcommands({}).empty() &&
        app.remaining(true).empty()) {
      fmt::print(stderr, "{}", asked.help());
      return dray::app::exit_status::usage;
    }
    // `--help` and `--version` come here, too, with 0.
    if (app.exit(error) == 0) return 0;
    print_hints(app, error);
    const auto named = commands.find(first);
    return named == commands.end() ? dray::app::exit_status::usage : named->second->usage_status();
  }
  const auto name = app.get_subcommands().front()->get_name();
  const auto status = commands.at(name)->run();
  if (status) return *status;
  fmt::print(stderr, "dray {}: {}\n", name, status.error().message);
  return commands.at(name)->error_status(status.error());
}
