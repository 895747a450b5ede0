#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/error.h"

namespace dray::kube {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs a program (looked for in PATH if its name has no /) and gives what it prints. It has no
/// standard input, our standard error, and our environment with `variables` on top. An error if it
/// is not there (not_found), ends with another status than 0, or is not done after `at_most` or
/// when `stop` is requested: then it is killed. Blocks.
[[nodiscard]] Result<std::string> program_output(const std::vector<std::string>& words,
                                                 const Variables& variables,
                                                 std::chrono::milliseconds at_most,
                                                 const std::stop_token& stop = {});

}  // namespace dray::kube
