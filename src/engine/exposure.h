#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dray/planner/plan.h"
#include "engine/pod_lifecycle.h"

namespace dray::engine {

/// The pods that lose their gate without a place: a cluster autoscaler only sees pods without one.
/// Those of the first `most` jobs for which there is no room, jobs that were exposed before and
/// still wait included.
[[nodiscard]] std::vector<Uid> pods_to_expose(const planner::Plan& plan, const PodLifecycle& pods,
                                              const std::string& gate, std::size_t most);

}  // namespace dray::engine
