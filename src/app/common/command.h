#pragma once

#include <memory>

#include "app/common/exit_status.h"
#include "dray/base/error.h"

namespace CLI {
class App;
}

namespace dray::app {

/// A subcommand. One file a command; main() only lists them.
class Command {
 public:
  virtual ~Command() = default;
  /// Runs after the command line was read: the process's exit status, one of exit_status.h. An
  /// Error is main()'s to print.
  virtual Result<int> run() = 0;
  /// The status after a command line that cannot be read.
  [[nodiscard]] virtual int usage_status() const { return exit_status::usage; }
  /// The status after an Error of run().
  [[nodiscard]] virtual int error_status(const Error& error) const {
    return exit_status::of(error);
  }

  static constexpr int done = exit_status::ok;
  static constexpr int no = exit_status::finding;
};

[[nodiscard]] std::unique_ptr<Command> add_serve(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_demo(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_match(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_lint(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_allocate(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_convert(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_explain(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_repair(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_snapshot(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_policy(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_record(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_replay(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_doctor(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_handback(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_simulate(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_queues(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_devices(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_top(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_limits(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_completion(CLI::App& app);
[[nodiscard]] std::unique_ptr<Command> add_man(CLI::App& app);

}  // namespace dray::app
