#pragma once

#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/jobs_run.h"

namespace dray::app {

/// What `--policy` names: a strategy, `fcfs`, `fair`, or a policy file.
[[nodiscard]] Result<simulate::Scheduler> load_scheduler(const std::string& name,
                                                         const simulate::Workload& workload);

}  // namespace dray::app
