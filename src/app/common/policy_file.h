#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/snapshot.h"
#include "dray/policy/config.h"

namespace dray::app {

/// The policy of a file (`-`: the standard input). Errors name file, line and column; those of a
/// file that can be read are `invalid`.
[[nodiscard]] Result<policy::PolicyConfig> load_policy(const std::string& path);

/// What the policy of the file names that the cluster does not have (policy::check_against), each
/// as `FILE:LINE:COLUMN: KEY: …`.
[[nodiscard]] std::vector<std::string> warnings_about(const std::string& path,
                                                      const policy::PolicyConfig& config,
                                                      const cluster::Snapshot& snapshot);

/// The status of a command that ended with this Error and used that policy file (empty: none): an
/// Error of the file names it first.
[[nodiscard]] int status_with_policy(const Error& error, std::string_view path);

/// A command's result after load_policy() failed: tells the error and gives the status of an
/// invalid policy; a file that cannot be read is the Error that it is.
[[nodiscard]] Result<int> refuse_policy(std::string_view command, const Error& error);

}  // namespace dray::app
