#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace CLI {
class App;
}

namespace dray::app {

/// What a file of flags is.
struct ConfigForm {
  std::string kind;      ///< its `kind`
  std::string own_flag;  ///< names such a file: no field of it
  /// What a value means for that flag, as for relative paths; absent: what it says.
  std::function<std::string(std::string_view flag, const std::string& value)> value_of = {};
};

/// Sets options of `command` from a file (YAML): every flag is a field of the same name in
/// camelCase
/// (`--admin-address` is `adminAddress`). What was given on the command line wins. Errors name
/// file, line and column, and for an unknown field the nearest flag.
[[nodiscard]] Result<void> apply_config_file(CLI::App& command, const std::string& path,
                                             const ConfigForm& form);

/// `admin-address` for `adminAddress`.
[[nodiscard]] std::string flag_name(std::string_view field);
/// `adminAddress` for `admin-address`.
[[nodiscard]] std::string field_name(std::string_view flag);

}  // namespace dray::app
