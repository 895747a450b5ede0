#pragma once

#include <set>
#include <vector>

#include "dray/model/ids.h"
#include "dray/planner/job.h"
#include "dray/policy/gang.h"

namespace dray::engine {

/// In the order of the ids of the gang's tasks.
[[nodiscard]] std::vector<Uid> member_uids(const planner::Job& job);

/// Whether the gang has its minimum if exactly the members in `there` count. `members` stand in the
/// order of the ids of the gang's tasks; the tasks' own states are ignored.
[[nodiscard]] bool has_minimum_of(policy::SubGroup gang, const std::vector<Uid>& members,
                                  const std::set<Uid>& there);

}  // namespace dray::engine
