#pragma once

#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::wire {

/// A policy file in its canonical form: keys in the order of their descriptions, two blanks a
/// level, what is short on one line; comments stay with what they are about. It says what it said,
/// and formatting it again changes nothing. An Error for a file whose form is not right (one line a
/// problem, with line and column), and for aliases (`*name`), which would be lost.
[[nodiscard]] Result<std::string> format_policy(std::string_view yaml);

}  // namespace dray::wire
