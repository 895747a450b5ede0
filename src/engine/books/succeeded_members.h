#pragma once

#include "dray/planner/job.h"

namespace dray::engine {

/// Lowers the minimums of the job's gang by its members that have succeeded in this run (run_of()):
/// they are not missing, because their controller does not create them again. Volcano counts them
/// as well; KAI and coscheduling do not, and leave the last retried pod of a group waiting.
void leave_out_succeeded(planner::Job& job);

}  // namespace dray::engine
