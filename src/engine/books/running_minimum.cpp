#include "engine/books/running_minimum.h"

#include <algorithm>

namespace dray::engine {
namespace {

bool is_placed(const planner::Member& member) {
  return member.state == planner::MemberState::placed;
}

/// Where nobody remembers how the gang began, because dray was started since: with what runs, and
/// with what has lost its gate to run with it.
std::int32_t begun_with(const planner::Job& job, const policy::PodSet& part) {
  return static_cast<std::int32_t>(std::ranges::count_if(part.tasks, [&](const auto& task) {
    const auto& member = job.members.at(task.id);
    const bool lifted =
        member.state == planner::MemberState::waiting && member.pod->scheduling_gates.empty();
    return is_placed(member) || lifted;
  }));
}

}  // namespace

void RunningMinimum::settle(planner::Job& job) {
  const bool first = minimums_.empty();
  const bool runs = std::ranges::any_of(job.members, is_placed);
  for (auto& part : job.gang.pod_sets) {
    const auto known = minimums_.try_emplace(part.name, 0).first;
    auto& minimum = known->second;
    if (first) minimum = begun_with(job, part);
    minimum = runs ? std::min(minimum, part.min_member) : part.min_member;
    part.min_member = minimum;
  }
}

}  // namespace dray::engine
