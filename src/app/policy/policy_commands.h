#pragma once

#include <memory>

#include "app/common/command.h"

namespace dray::app {

// The subcommands of `dray policy`, one file each.

[[nodiscard]] std::unique_ptr<Command> add_policy_validate(CLI::App& policy);
[[nodiscard]] std::unique_ptr<Command> add_policy_schema(CLI::App& policy);
[[nodiscard]] std::unique_ptr<Command> add_policy_fmt(CLI::App& policy);
[[nodiscard]] std::unique_ptr<Command> add_policy_diff(CLI::App& policy);
[[nodiscard]] std::unique_ptr<Command> add_policy_test(CLI::App& policy);
[[nodiscard]] std::unique_ptr<Command> add_policy_simulate(CLI::App& policy);

}  // namespace dray::app
