#pragma once

#include <memory>

#include "dray/base/error.h"

namespace CLI {
class App;
}

namespace dray::app {

/// A subcommand. One file a command; main() only lists them.
class Command {
 public:
  virtual ~Command() = default;
  /// Runs after the command line was read: the process's exit status, `done` or `no`. An Error is
  /// main()'s to print; the status is then 1.
  virtual Result<int> run() = 0;
  /// The status after a command line that cannot be read.
  [[nodiscard]] virtual int usage_status() const { return error; }
  /// The status after an Error of run().
  [[nodiscard]] virtual int error_status(const Error& /*error*/) const { return error; }

  static constexpr int done = 0;
  static constexpr int error = 1;
  static constexpr int no = 2;  ///< the question has an answer, and it is no
};

[[nodiscard]] std::unique_ptr<Command> add_serve(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_demo(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_match(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_lint(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_allocate(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_explain(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_repair(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_snapshot(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_policy(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_replay(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_doctor(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_handback(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_simulate(CLI::App& app);

}  // namespace dray::app
