#pragma once

#include "dray/simulate/jobs_run.h"
#include "simulate/place/setting.h"

namespace dray::simulate {

/// A model of kube-scheduler with one strategy: whenever something ended, waiting jobs are tried in
/// the order of their arrival; a job starts whole or not at all.
void run_by_strategy(const Setting& setting, Strategy strategy, std::uint64_t seed,
                     const JobsOptions& options, JobsRun& run);

}  // namespace dray::simulate
