#include "planner/evict/simulate.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "dray/policy/capacity.h"

namespace dray::planner {
namespace {

void mark_all(std::span<const Victims> all, policy::TaskState state) {
  for (const auto& chunk : all) {
    for (auto* task : chunk.tasks) chunk.job->set_state(*task, state);
  }
}

/// So many choices of devices are tried for a job that may have others.
constexpr int most_tries = 8;

/// What the job takes by the solution.
policy::Amounts taken_by(const Solution& solution, std::size_t resources) {
  policy::Amounts sum(resources);
  for (const auto& each : solution.placed) sum += each.task->demand->counts;
  return sum;
}

/// The next choice takes less than this one, where it can. False: it cannot.
bool tighten(policy::Amounts& most, const policy::Amounts& taken, const policy::Amounts& least) {
  constexpr double less = 1e-6;
  bool any = false;
  for (std::size_t r = 0; r < most.size(); ++r) {
    if (taken[r] - less <= least[r]) continue;
    most[r] = std::min(most[r], taken[r] - less);
    any = true;
  }
  return any;
}

/// Whether somebody who may only be moved comes before somebody who may be evicted.
bool mixes(std::span<const Victims> victims) {
  const auto moved = std::ranges::find_if(victims, &Victims::only_moves);
  return std::ranges::any_of(moved, victims.end(), std::not_fn(&Victims::only_moves));
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
  if (solves(attempt, solution, first)) return solution;
  overlay_.undo(mark);
  mark_all(all, policy::TaskState::yielding);
  return std::nullopt;
}

/// The job and the victims on what is free with all victims gone; whether that may be carried out.
bool VictimSimulator::solves(const Attempt& attempt, Solution& solution, First first) {
  auto& job = attempt.job;
  if (first == First::victims) reprieve_.move(solution);
  if (policy::check_capacity(overlay_.queues(), *job.queue, attempt.counts, job.job->preemptible)) {
    return false;
  }
  const bool exact = std::ranges::all_of(
      attempt.chunk, [&](auto id) { return job.tasks[id].takes_what_it_asks(); });
  const auto& everywhere = placer_.fit().everywhere();
  if (exact) {
    auto placed = placer_.place(job, attempt.chunk, everywhere, Room::releasing);
    if (!placed) return false;
    solution.placed = *std::move(placed);
    return may_do(attempt, solution, first);
  }
  // What the rules do not let it take for so much, they may for less.
  auto most = validator_.most_for(attempt);
  const auto mark = overlay_.mark();
  const auto before = solution;
  for (int tries = 0; tries < most_tries; ++tries) {
    auto placed = placer_.place(job, attempt.chunk, everywhere, Room::releasing, &most);
    if (!placed) return false;
    solution.placed = *std::move(placed);
    auto real = attempt;
    real.counts = taken_by(solution, overlay_.queues().resources());
    if (may_do(real, solution, first)) return true;
    if (!tighten(most, real.counts, attempt.counts)) return false;
    overlay_.undo(mark);
    solution = before;
  }
  return false;
}

bool VictimSimulator::may_do(const Attempt& attempt, Solution& solution, First first) {
  return first == First::victims ? validator_.holds(attempt, solution) : spare(attempt, solution);
}

/// Who may only be moved is spared before the others where else one of these would keep the room
/// that the move needs.
bool VictimSimulator::spare(const Attempt& attempt, Solution& solution) {
  const bool mixed = attempt.action == Action::reclaim && mixes(solution.victims);
  if (!mixed) {
    reprieve_.spare(attempt.job, solution);
    return validator_.holds(attempt, solution);
  }
  const auto mark = overlay_.mark();
  const auto before = solution;
  reprieve_.spare(attempt.job, solution);
  if (validator_.holds(attempt, solution)) return true;
  overlay_.undo(mark);
  solution = before;
  reprieve_.spare(attempt.job, solution, Reprieve::First::only_moved);
  return validator_.holds(attempt, solution);
}

}  // namespace dray::planner
