#pragma once

#include "dray/model/pod.h"

namespace dray::simulate {

/// A pod of a DaemonSet, or a static one: it comes and goes with its node.
[[nodiscard]] bool comes_with_the_node(const Pod& pod);

}  // namespace dray::simulate
