#pragma once

#include <string>

#include "dray/planner/explanation.h"

namespace dray::app {

/// A line with what decides, and below it the job, its queue, the nodes, and what would help.
/// `wide`: with the names of the Reasons, as conditions and metrics have them.
[[nodiscard]] std::string explanation_text(const planner::Explanation& explanation,
                                           bool wide = false);

}  // namespace dray::app
