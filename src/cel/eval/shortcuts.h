#pragma once

#include "cel/eval/plan.h"

namespace dray::cel {

/// Marks the paths that are read straight from a device's columns.
void find_shortcuts(Plan& plan);

/// The same for `"x" in device.attributes["d"]`, which asks whether there is such a column.
void find_presence(Plan& plan, Call& call);

}  // namespace dray::cel
