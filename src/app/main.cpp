#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <ranges>
#include <string>

#include "app/common/command.h"
#include "app/serve/time_zones.h"
#include "dray/cel/time_zone.h"

int main(int argc, char** argv) {
  CLI::App app("dray: a scheduling brain for accelerators on Kubernetes", "dray");
  app.require_subcommand(1);
  app.set_version_flag("--version", DRAY_VERSION);
  dray::cel::set_time_zone_source(dray::app::read_time_zone);
  std::map<std::string, std::unique_ptr<dray::app::Command>> commands;
  commands["serve"] = dray::app::add_serve(app);
  commands["demo"] = dray::app::add_demo(app);
  commands["allocate"] = dray::app::add_allocate(app);
  commands["explain"] = dray::app::add_explain(app);
  commands["match"] = dray::app::add_match(app);
  commands["lint"] = dray::app::add_lint(app);
  commands["repair"] = dray::app::add_repair(app);
  commands["policy"] = dray::app::add_policy(app);
  commands["replay"] = dray::app::add_replay(app);
  commands["snapshot"] = dray::app::add_snapshot(app);
  commands["doctor"] = dray::app::add_doctor(app);
  commands["handback"] = dray::app::add_handback(app);
  commands["simulate"] = dray::app::add_simulate(app);
  const std::string first = argc > 1 ? argv[1] : "-";
  if (!first.starts_with('-') && !commands.contains(first)) {
    fmt::print(stderr, "dray: no command \"{}\"; there are {}\n", first,
               fmt::join(std::views::keys(commands), ", "));
    return dray::app::Command::error;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // `--help` and `--version` come here, too, with 0.
    if (app.exit(error) == 0) return 0;
    const auto named = commands.find(first);
    return named == commands.end() ? dray::app::Command::error : named->second->usage_status();
  }
  const auto name = app.get_subcommands().front()->get_name();
  const auto status = commands.at(name)->run();
  if (status) return *status;
  fmt::print(stderr, "dray {}: {}\n", name, status.error().message);
  return dray::app::Command::error;
}
