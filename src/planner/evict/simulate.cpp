#include "planner/evict/simulate.h"

#include <utility>

#include "dray/policy/capacity.h"

namespace dray::planner {
namespace {

void mark_all(std::span<const Victims> all, policy::TaskState state) {
  for (const auto& chunk : all) {
    for (auto* task : chunk.tasks) chunk.job->set_state(*task, state);
  }
}

}  // namespace

std::optional<Solution> VictimSimulator::run(const Attempt& attempt, std::span<const Victims> all,
                                             const Scenario& scenario) {
  auto found = run(attempt, all, scenario, First::job);
  if (found || attempt.action != Action::consolidate) return found;
  // All have to find room again: who goes first may decide it.
  return run(attempt, all, scenario, First::victims);
}

std::optional<Solution> VictimSimulator::run(const Attempt& attempt, std::span<const Victims> all,
                                             const Scenario& scenario, First first) {
  if (exhausted()) return std::nullopt;
  ++scenarios_;
  Solution solution;
  for (const auto place : scenario) solution.victims.push_back(all[place]);
  if (!budget_.allows(solution.victims)) return std::nullopt;
  const auto mark = overlay_.mark();
  mark_all(all, policy::TaskState::placed);
  for (const auto& chunk : solution.victims) {
    for (auto* task : chunk.tasks) overlay_.evict(*chunk.job, *task);
  }
  if (place(attempt, solution, first) && validator_.holds(attempt, solution)) return solution;
  overlay_.undo(mark);
  mark_all(all, policy::TaskState::yielding);
  return std::nullopt;
}

/// The job and the victims on what is free with all victims gone; whether the job has room.
bool VictimSimulator::place(const Attempt& attempt, Solution& solution, First first) {
  auto& job = attempt.job;
  if (first == First::victims) reprieve_.move(solution);
  if (policy::check_capacity(overlay_.queues(), *job.queue, attempt.counts, job.job->preemptible)) {
    return false;
  }
  auto placed = placer_.place(job, attempt.chunk, placer_.fit().everywhere(), Room::releasing);
  if (!placed) return false;
  solution.placed = *std::move(placed);
  if (first == First::job) reprieve_.spare(job, solution);
  return true;
}

}  // namespace dray::planner
