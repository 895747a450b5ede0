#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "app/command.h"

int main(int argc, char** argv) {
  CLI::App app("dray: a scheduling brain for accelerators on Kubernetes", "dray");
  app.require_subcommand(1);
  app.set_version_flag("--version", DRAY_VERSION);
  std::map<std::string, std::unique_ptr<dray::app::Command>> commands;
  commands["serve"] = dray::app::add_serve(app);
  commands["demo"] = dray::app::add_demo(app);
  commands["allocate"] = dray::app::add_allocate(app);
  CLI11_PARSE(app, argc, argv);
  return commands.at(app.get_subcommands().front()->get_name())->run();
}
