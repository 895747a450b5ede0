#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace dray::app {

/// A subcommand. One file a command; main() only lists them.
class Command {
 public:
  virtual ~Command() = default;
  /// Runs after the command line was read; the process's exit code.
  virtual int run() = 0;
};

[[nodiscard]] std::unique_ptr<Command> add_serve(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_demo(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_match(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_lint(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_allocate(CLI::App& app);

}  // namespace dray::app
