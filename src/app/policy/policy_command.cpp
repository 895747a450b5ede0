#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "app/common/command.h"
#include "app/policy/policy_commands.h"

namespace dray::app {
namespace {

/// The commands about policy files.
class PolicyCommand : public Command {
 public:
  explicit PolicyCommand(CLI::App& app)
      : app_(app.add_subcommand("policy", "Check, format, compare, test and try policy files")) {
    app_->require_subcommand(1);
    commands_["validate"] = add_policy_validate(*app_);
    commands_["fmt"] = add_policy_fmt(*app_);
    commands_["diff"] = add_policy_diff(*app_);
    commands_["test"] = add_policy_test(*app_);
    commands_["simulate"] = add_policy_simulate(*app_);
    commands_["schema"] = add_policy_schema(*app_);
  }

  Result<int> run() override {
    return commands_.at(app_->get_subcommands().front()->get_name())->run();
  }

 private:
  CLI::App* app_;
  std::map<std::string, std::unique_ptr<Command>> commands_;
};

}  // namespace

std::unique_ptr<Command> add_policy(CLI::App& app) {
  return std::make_unique<PolicyCommand>(app);
}

}  // namespace dray::app
