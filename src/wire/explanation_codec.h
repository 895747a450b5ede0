#pragma once

#include <string>

#include "dray/planner/explanation.h"

namespace dray::wire {

/// An explanation as one JSON object; an unlimited quota or limit is null.
[[nodiscard]] std::string encode(const planner::Explanation& explanation);

}  // namespace dray::wire
