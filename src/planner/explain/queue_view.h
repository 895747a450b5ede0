#pragma once

#include <optional>

#include "dray/planner/explanation.h"
#include "dray/planner/job_watch.h"

namespace dray::planner {

/// What the waiting members of a job ask of queues.
[[nodiscard]] policy::Amounts asked_by(const Job& job, const PlanInput& input);

/// The job's queue with its numbers at the beginning of the plan, and the job's place in its order;
/// nothing where there is no such queue.
[[nodiscard]] std::optional<QueueView> queue_of(const Job& job, const Question& question,
                                                const Plan& plan, const JobWatch& watch);

}  // namespace dray::planner
