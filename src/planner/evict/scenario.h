#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "planner/evict/victim_order.h"
#include "planner/place/gangs.h"

namespace dray::planner {

/// A way to get room from others (KAI's actions).
enum class Action : std::uint8_t { consolidate, reclaim, preempt };

/// The chunk of a job for which room is looked for.
struct Attempt {
  PlanJob& job;
  std::span<const std::uint32_t> chunk;
  policy::Amounts counts;  ///< of the chunk
  Action action = Action::reclaim;
  /// Lineages that the job may not evict: whom it was evicted for, and whom these were.
  std::set<std::string_view> protected_beneficiaries;
};

using Victims = VictimOrder::Chunk;

/// Victims that might make room for an attempt: places in a list of all that were found so far.
using Scenario = std::vector<std::size_t>;

/// What it takes to start a chunk.
struct Solution {
  std::vector<Placed> placed;
  std::vector<Victims> victims;      ///< all that have to go, moved ones too
  std::map<Task*, Placement> moved;  ///< where there is room for some of them
};

}  // namespace dray::planner
