#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dray/planner/plan.h"
#include "engine/pod_lifecycle.h"

namespace dray::engine {

/// A pod that loses its gate without a place.
struct ExposedPod {
  Uid uid;
  std::string node_groups;  ///< that would have to grow for its job; empty: nobody said
};

/// What a cluster autoscaler is shown, which only sees pods without a gate: those of the first
/// `most` jobs for which there is no room, jobs that were exposed before and still wait included.
/// `known_groups`: only jobs for which the plan names node groups that can grow.
[[nodiscard]] std::vector<ExposedPod> pods_to_expose(const planner::Plan& plan,
                                                     const PodLifecycle& pods,
                                                     const std::string& gate, std::size_t most,
                                                     bool known_groups);

}  // namespace dray::engine
