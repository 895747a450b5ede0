#include <algorithm>

#include "planner/state/jobs.h"

// A job as a plan sees it: where its tasks are, and what of it goes next.

namespace dray::planner {

void PlanJob::set_state(Task& task, policy::TaskState state) {
  const auto count = [&](policy::TaskState which, std::size_t by) {
    if (which == policy::TaskState::placed) placed += by;
    if (which == policy::TaskState::pending) waiting += by;
  };
  count(task.state, static_cast<std::size_t>(-1));
  task.state = state;
  count(task.state, 1);
  if (task.slot != nullptr) task.slot->state = state;
}

void PlanJob::forget_victims() {
  for (auto& task : tasks) {
    if (task.state != policy::TaskState::pending) task.shape = nullptr;
    task.with_sharers = false;
  }
}

policy::GangPhase PlanJob::phase() const {
  if (gang) return policy::phase_of(*gang);
  return placed == 0 ? policy::GangPhase::below_minimum : policy::GangPhase::at_minimum;
}

bool PlanJob::has_minimum() const {
  return gang ? policy::has_minimum(*gang) : placed > 0;
}

bool PlanJob::reaches_minimum(std::span<const std::uint32_t> chunk) {
  if (!gang || has_minimum()) return true;
  for (const auto id : chunk) set_state(tasks[id], policy::TaskState::placed);
  const bool reached = has_minimum();
  for (const auto id : chunk) set_state(tasks[id], policy::TaskState::pending);
  return reached;
}

bool PlanJob::pass_over(const Task& task) {
  if (!gang) return false;
  const auto id = static_cast<std::uint32_t>(&task - tasks.data());
  auto* set = policy::set_of(*gang, id);
  if (set == nullptr) return false;
  for (auto& each : set->tasks) {
    if (each.state != policy::TaskState::pending) continue;
    each.state = policy::TaskState::other;
    passed_over.push_back(&each);
  }
  const auto chunk = next_chunk();
  return !chunk.empty() && reaches_minimum(chunk);
}

void PlanJob::pass_over_none() {
  for (auto* task : passed_over) task->state = policy::TaskState::pending;
  passed_over.clear();
}

std::vector<std::uint32_t> PlanJob::next_chunk(bool simulated) const {
  if (gang) return policy::next_to_place(*gang, policy::by_need, simulated);
  const auto state = tasks.front().state;
  const bool waits =
      state == policy::TaskState::pending || (simulated && state == policy::TaskState::yielding);
  return waits ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{};
}

bool PlanJob::has_next() const {
  if (gang) return !next_chunk().empty();
  return tasks.front().state == policy::TaskState::pending;
}

policy::Amounts PlanJob::next_counts(std::size_t resources) const {
  if (gang) return counts_of(next_chunk(), resources);
  constexpr std::uint32_t first = 0;
  return counts_of({&first, has_next() ? std::size_t{1} : 0}, resources);
}

policy::Eviction PlanJob::next_victims() const {
  if (gang) return policy::next_to_evict(*gang, policy::by_need);
  policy::Eviction eviction;
  if (placed > 0) eviction.tasks.push_back(0);
  return eviction;
}

policy::Amounts Task::least_on_top() const {
  if (state != policy::TaskState::yielding) return wanted().least;
  if (takes_what_it_asks()) return freed();
  return wanted().least - wanted().stays;
}

policy::Amounts Task::most_on_top() const {
  if (state != policy::TaskState::yielding) return wanted().most;
  if (takes_what_it_asks()) return freed();
  return wanted().most - wanted().stays;
}

policy::Amounts PlanJob::least_of(std::span<const std::uint32_t> chunk,
                                  std::size_t resources) const {
  policy::Amounts sum(resources);
  for (const auto task : chunk) {
    if (tasks[task].demand != nullptr) sum += tasks[task].least_on_top();
  }
  return sum;
}

policy::Amounts PlanJob::counts_of(std::span<const std::uint32_t> chunk,
                                   std::size_t resources) const {
  policy::Amounts sum(resources);
  for (const auto task : chunk) {
    if (tasks[task].demand != nullptr) sum += tasks[task].comes_on_top();
  }
  return sum;
}

}  // namespace dray::planner
