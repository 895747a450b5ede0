#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dray/planner/plan.h"
#include "engine/pod_lifecycle.h"

namespace dray::engine {

/// A job that has no room, and for which an autoscaler may add nodes.
struct ExposedJob {
  Uid uid;
  std::vector<Uid> gated;   ///< its pods that wait behind dray's gate
  std::string node_groups;  ///< that would have to grow for it; empty: nobody said
};

/// What a cluster autoscaler is told of: the first `most` jobs for which there is no room, jobs
/// that it was told of before (`asked_for`: by a request for nodes) and still wait included. At
/// least one job of each queue is shown: jobs that never get a node do not block other queues.
/// `known_groups`: only jobs for which the plan names node groups that can grow.
[[nodiscard]] std::vector<ExposedJob> jobs_to_expose(
    const planner::Plan& plan, const PodLifecycle& pods, const std::string& gate, std::size_t most,
    bool known_groups, const std::function<bool(const Uid&)>& asked_for,
    const std::function<policy::QueueName(const Uid&)>& queue_of);

}  // namespace dray::engine
