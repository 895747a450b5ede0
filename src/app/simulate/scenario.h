#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace CLI {
class App;
}

namespace dray::app {

/// Sets flags of `dray simulate` from a Scenario file, as apply_config_file() does. Its relative
/// paths are of its own folder.
[[nodiscard]] Result<void> apply_scenario(CLI::App& command, const std::string& path);

/// What a flag's value in a file of that folder means to the command: with the path in it, if there
/// is one and it is relative, from the folder on.
[[nodiscard]] std::string value_in_folder(std::string_view flag, const std::string& value,
                                          const std::string& folder);

}  // namespace dray::app
