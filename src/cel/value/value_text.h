#pragma once

#include <string>

#include "dray/cel/value.h"

namespace dray::cel {

/// A value as an expression would write it: `"A100"`, `quantity("40Gi")`, `[1, 2]`,
/// `optional.none()`. Long lists and maps are cut with an ellipsis. Not an error.
[[nodiscard]] std::string value_text(const Value& value);

}  // namespace dray::cel
