#pragma once

#include <string>

#include "dray/base/error.h"
#include "dray/policy/config.h"

namespace dray::app {

/// The policy of a file (`-`: the standard input). Errors name file, line and column; those of a
/// file that can be read are `invalid`.
[[nodiscard]] Result<policy::PolicyConfig> load_policy(const std::string& path);

/// A command's result after load_policy() failed: tells the error and gives the status of an
/// invalid policy; a file that cannot be read is the Error that it is.
[[nodiscard]] Result<int> refuse_policy(const Error& error);

}  // namespace dray::app
