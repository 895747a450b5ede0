#pragma once

#include <set>
#include <vector>

#include "dray/model/ids.h"
#include "dray/planner/job.h"
#include "dray/policy/gang.h"

namespace dray::engine {

/// In the order of the ids of the gang's tasks.
[[nodiscard]] std::vector<Uid> member_uids(const planner::Job& job);

/// Whether exactly the members in `there` may run, of which those in `bound` do already: the gang
/// has its minimum, and so has each group of it that gets a new member. Where some groups are
/// enough (minSubGroup), no other one starts with a part of what it needs. `members` stand in the
/// order of the ids of the gang's tasks; the tasks' own states are ignored.
[[nodiscard]] bool may_run_with(policy::SubGroup gang, const std::vector<Uid>& members,
                                const std::set<Uid>& bound, const std::set<Uid>& there);

}  // namespace dray::engine
