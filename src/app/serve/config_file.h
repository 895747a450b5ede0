#pragma once

#include <string>

#include "dray/base/error.h"

namespace CLI {
class App;
}

namespace dray::app {

/// Sets options of `command` from a DrayConfiguration file (YAML): every flag is a field of the
/// same name in camelCase (`--admin-address` is `adminAddress`). What was given on the command line
/// wins. Errors name file, line and column, and for an unknown field the nearest flag.
[[nodiscard]] Result<void> apply_config_file(CLI::App& command, const std::string& path);

/// `admin-address` for `adminAddress`.
[[nodiscard]] std::string flag_name(std::string_view field);

}  // namespace dray::app
