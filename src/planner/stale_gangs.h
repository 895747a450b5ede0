#pragma once

#include <optional>
#include <vector>

#include "planner/state/context.h"
#include "planner/state/jobs.h"

namespace dray::planner {

/// Gangs that run below their minimum (KAI's action stalegangeviction).
struct StaleGangs {
  std::vector<StaleGang> stale;     ///< all of them, sorted by uid
  std::vector<Eviction> evictions;  ///< of those that have been so for longer than they may
  std::optional<Time> again_at;     ///< when the first other one has
};
[[nodiscard]] StaleGangs find_stale_gangs(const PlanContext& context, const JobTable& jobs);

}  // namespace dray::planner
