#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dray/planner/plan.h"
#include "tests/cases/kai_objects.h"

namespace dray::cases {

/// A job of a case with its tasks as they are now.
[[nodiscard]] std::shared_ptr<const planner::Job> kai_job(const Json& json,
                                                          const KaiObjects& objects, Time now,
                                                          std::optional<Time> stale_since);

/// Where kube-scheduler would not have a pod for the pods that are there: required inter-pod
/// affinity is its business, and it says so of each node.
[[nodiscard]] std::vector<planner::RefusedNode> refused_by_pods(const KaiObjects& objects);

}  // namespace dray::cases
