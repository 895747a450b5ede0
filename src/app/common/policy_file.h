#pragma once

#include <string>

#include "dray/base/error.h"
#include "dray/policy/config.h"

namespace dray::app {

/// The policy of a file (`-`: the standard input). Errors name file, line and column.
[[nodiscard]] Result<policy::PolicyConfig> load_policy(const std::string& path);

}  // namespace dray::app
