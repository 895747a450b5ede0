#pragma once

#include <memory>

#include "dray/policy/policy.h"
#include "dray/simulate/jobs_run.h"

namespace dray::simulate {

/// dray's planner in virtual time: a plan whenever something arrived or ended and somebody waits,
/// and when the last plan said that time alone may change the outcome. Evicted pods are gone at
/// once.
void run_by_planner(const Setting& setting, std::shared_ptr<const policy::Policy> policy,
                    const JobsOptions& options, JobsRun& run);

}  // namespace dray::simulate
