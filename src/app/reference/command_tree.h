#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dray::app {

/// A flag or a positional argument of a command.
struct CommandOption {
  std::vector<std::string> names;  ///< `--output`, `-o`; empty: it is positional
  std::string value;               ///< `FILE`; empty: it takes none
  std::vector<std::string> choices;
  std::string description;
  std::string absent;  ///< its default
  bool required = false;
};

/// A command and those below it, as the parser knows them: --help, completions and man pages are of
/// one definition.
struct CommandTree {
  std::vector<std::string> path;  ///< `dray`, `policy`, `test`
  std::string description;
  std::string footer;
  std::vector<CommandOption> options;
  std::vector<CommandTree> commands;

  [[nodiscard]] const std::string& name() const { return path.back(); }
};

[[nodiscard]] CommandTree command_tree(const CLI::App& app);

/// The command itself and all below it, each before its own.
[[nodiscard]] std::vector<const CommandTree*> all_commands(const CommandTree& tree);

}  // namespace dray::app
