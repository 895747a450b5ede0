#pragma once

#include <algorithm>
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
  policy::Amounts counts;  ///< of the chunk: the least that it takes, or what a solution takes
  Action action = Action::reclaim;
  /// Lineages that the job may not evict: whom it was evicted for, and whom these were.
  std::set<std::string_view> protected_beneficiaries;
  /// The second look of a reclaim: whoever its queue gives by itself is taken up, however much the
  /// victims before would take of it. KAI takes all victims up and judges who goes in the end.
  bool each_alone = false;
  /// What the chunk takes has to be within the fair share of its queue.
  bool within_share = false;
};

using Victims = VictimOrder::Chunk;

/// Victims that might make room for an attempt: places in a list of all that were found so far.
using Scenario = std::vector<std::size_t>;

/// Scenarios this small are looked through for one that can do without some of its victims, and a
/// gang's second look takes up no more.
constexpr std::size_t few_victims = 32;

/// What it takes to start a chunk.
struct Solution {
  std::vector<Placed> placed;
  std::vector<Victims> victims;   ///< all that have to go, moved ones too
  std::map<Task*, Placed> moved;  ///< where there is room for some of them

  /// Whether nothing of the job was there before this plan, and what moves of it goes to idle room.
  [[nodiscard]] bool only_placed_anew(const PlanJob& job) const {
    return std::ranges::all_of(victims, [&](const Victims& chunk) {
      return chunk.job != &job || std::ranges::all_of(chunk.tasks, [&](Task* task) {
               const auto to = moved.find(task);
               return task->just_placed() && (to == moved.end() || to->second.room == Room::idle);
             });
    });
  }
};

}  // namespace dray::planner
