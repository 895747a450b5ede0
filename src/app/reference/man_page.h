#pragma once

#include <string>

#include "app/reference/command_tree.h"

namespace dray::app {

/// `dray-policy-test`: the name of the command's page.
[[nodiscard]] std::string man_name(const CommandTree& command);

/// The page of a command in section 1, in man(7).
[[nodiscard]] std::string man_page(const CommandTree& command);

}  // namespace dray::app
