#pragma once

#include "dray/simulate/jobs_run.h"
#include "dray/simulate/recorded.h"

namespace dray::simulate {

/// Writes down what happened, as if it had been decided in a run.
void run_as_recorded(const Setting& setting, const RecordedRun& recorded,
                     const JobsOptions& options, JobsRun& run);

}  // namespace dray::simulate
