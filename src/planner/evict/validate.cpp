#include "planner/evict/validate.h"

#include <algorithm>
#include <utility>

#include "dray/base/saturating_time.h"
#include "dray/policy/min_runtime.h"

namespace dray::planner {

using policy::QueueIndex;

namespace {

/// It goes with others who share a claim that does not count for it: nothing is taken from its
/// queue but what that queue cannot keep.
bool goes_along(const Victims& chunk) {
  return chunk.goes_with_last && !chunk.holds_devices();
}

}  // namespace

VictimValidator::VictimValidator(const PlanContext& context, const Decisions& decisions,
                                 EvictionBudget& budget, bool counts_node_allocatable)
    : context_(context),
      decisions_(decisions),
      budget_(budget),
      counts_node_allocatable_(counts_node_allocatable),
      again_at_(context.input.now) {}

std::vector<char> VictimValidator::open_queues(const Attempt& attempt,
                                               const VictimOrder::Candidates& candidates) const {
  const auto& queues = decisions_.queues();
  const policy::Reclaimer reclaimer{*attempt.job.queue, attempt.counts,
                                    attempt.job.job->preemptible};
  std::vector<char> open(queues.queues().size(), 0);
  for (std::uint32_t i = 0; i < open.size(); ++i) {
    const QueueIndex queue(i);
    if (candidates[i].empty()) continue;
    const bool own = queue == *attempt.job.queue;
    switch (attempt.action) {
      case Action::consolidate:
        open[i] = 1;
        break;
      case Action::preempt:
        open[i] = own ? 1 : 0;
        break;
      case Action::reclaim:
        open[i] = !own && policy::may_give(queues, reclaimer, queue) ? 1 : 0;
        break;
    }
  }
  return open;
}

bool VictimValidator::queue_gives(const Attempt& attempt, const Victims& chunk,
                                  std::span<const policy::Amounts> taken) const {
  if (attempt.action != Action::reclaim) return true;
  const auto& queues = decisions_.queues();
  const auto [taker, giver] = policy::rivals(queues, *attempt.job.queue, *chunk.job->queue);
  const auto& queue = queues[giver];
  const auto remains = queue.allocated - taken[giver.get()];
  return policy::maintains_fair_share(queue, remains) ||
         policy::guarantees_quota(queues[taker], attempt.counts, queue, remains);
}

bool VictimValidator::may_be_evicted(const Attempt& attempt, std::span<const Victims> unit,
                                     std::span<const policy::Amounts> taken) {
  const auto& chunk = unit.front();
  const auto may_be_withdrawn = [&](const Victims& each) {
    return std::ranges::all_of(
        each.tasks, [&](const auto* task) { return this->may_be_withdrawn(attempt, *task); });
  };
  const auto on_kept_room = [&](const Victims& each) {
    return std::ranges::any_of(each.tasks, [&](const auto* task) {
      return task->node && decisions_.is_kept(*task->node);
    });
  };
  return has_priority(attempt, *chunk.job) &&
         (chunk.keeps_minimum || !protected_by_runtime(attempt, *chunk.job)) &&
         !would_reclaim_back(attempt, chunk, taken) &&
         std::ranges::all_of(unit, may_be_withdrawn) && std::ranges::none_of(unit, on_kept_room) &&
         std::ranges::all_of(
             unit.subspan(1),
             [&](const Victims& each) { return may_go_along(attempt, each, taken); }) &&
         budget_.allows(unit);
}

/// Who shares claims with a victim goes with it, whatever protects it alone: else a pod of the
/// tenant's that is not preemptible, or has only just begun, would keep all others running. But
/// where a claim counts for another queue, that queue's share decides, and within a queue nobody
/// goes who is not preemptible or has no lower priority.
bool VictimValidator::may_go_along(const Attempt& attempt, const Victims& chunk,
                                   std::span<const policy::Amounts> taken) const {
  if (chunk.job == &attempt.job) return false;
  const bool own_queue = chunk.job->queue == attempt.job.queue;
  switch (attempt.action) {
    case Action::consolidate:
      return false;
    case Action::preempt:
      return chunk.job->job->preemptible && has_priority(attempt, *chunk.job) &&
             (own_queue || !chunk.holds_devices());
    case Action::reclaim:
      return !own_queue && (!chunk.holds_devices() || (queue_gives(attempt, chunk, taken) &&
                                                       !would_reclaim_back(attempt, chunk, taken)));
  }
  std::unreachable();
}

/// Nobody makes room for itself, and in its own queue only for higher priority.
bool VictimValidator::has_priority(const Attempt& attempt, const PlanJob& victim) const {
  if (&victim == &attempt.job) return false;
  switch (attempt.action) {
    case Action::preempt:
      return victim.job->priority < attempt.job.job->priority;
    case Action::consolidate:
    case Action::reclaim:
      return true;
  }
  std::unreachable();
}

bool VictimValidator::protected_by_runtime(const Attempt& attempt, const PlanJob& victim) {
  if (!victim.job->started) return false;
  const auto& config = context_.policy.config;
  const auto& queues = decisions_.queues();
  Duration least{0};
  switch (attempt.action) {
    case Action::consolidate:
      return false;
    case Action::preempt:
      least = policy::preempt_min_runtime(queues, victim.queue, config.preemption.min_runtime);
      break;
    case Action::reclaim:
      least = policy::reclaim_min_runtime(queues, *attempt.job.queue, victim.queue,
                                          config.reclaim.resolution, config.reclaim.min_runtime);
      break;
  }
  // It began by another clock than ours.
  if (least <= Duration::zero()) return false;
  const auto end = saturating_add(*victim.job->started, least);
  again_at_.add(end);
  return end > context_.input.now;
}

/// A queue that stays within its quota may take what is owed to it from anybody.
bool VictimValidator::would_reclaim_back(const Attempt& attempt, const Victims& chunk,
                                         std::span<const policy::Amounts> taken) const {
  if (attempt.action == Action::consolidate ||
      !attempt.protected_beneficiaries.contains(chunk.job->job->lineage)) {
    return false;
  }
  if (attempt.action == Action::preempt) return true;
  const auto& queues = decisions_.queues();
  const auto [taker, giver] = policy::rivals(queues, *attempt.job.queue, *chunk.job->queue);
  const auto& queue = queues[giver];
  return !policy::guarantees_quota(queues[taker], attempt.counts, queue,
                                   queue.allocated - taken[giver.get()]);
}

/// What this plan itself placed can be taken back, unless others make room for it or it has claims
/// that are not its alone; so can what it has moved, for which nobody makes room. Whoever only
/// moves for it, or goes for another job, may as well do so for a higher priority of its queue:
/// else that would evict somebody who runs and is served before it.
bool VictimValidator::may_be_withdrawn(const Attempt& attempt, const Task& task) const {
  if (!task.placed_by_plan()) return true;
  const bool kept = decisions_.keeps(task) &&
                    (attempt.action != Action::preempt || !decisions_.nobody_evicted_for(task));
  const bool open = task.moved || (attempt.action != Action::consolidate && !kept);
  return open && task.shape != nullptr && !task.shape->singular && !counts_node_allocatable_;
}

policy::Amounts VictimValidator::most_for(const Attempt& attempt) const {
  const auto& queue = decisions_.queues()[*attempt.job.queue];
  if (!attempt.within_share) return policy::Amounts(queue.allocated.size(), policy::unlimited);
  return queue.fair_share - queue.allocated;
}

bool VictimValidator::holds(const Attempt& attempt, const Solution& solution) const {
  if (solution.victims.empty()) return false;
  const auto moved = [&](Task* task) { return solution.moved.contains(task); };
  switch (attempt.action) {
    case Action::consolidate:
      return std::ranges::all_of(solution.victims, [&](const Victims& chunk) {
        return std::ranges::all_of(chunk.tasks, moved);
      });
    case Action::preempt:
      return true;
    case Action::reclaim:
      return policy::reclaim_holds(
                 decisions_.queues(),
                 {*attempt.job.queue, attempt.counts, attempt.job.job->preemptible},
                 takings(solution), context_.policy.config.reclaim.saturation_multiplier) &&
             (!attempt.each_alone || holds_together(attempt, solution));
  }
  std::unreachable();
}

/// What was asked of each victim before it was taken up holds of all of them, those that move after
/// those that go: so many of them at most may be moved though their queue owes nothing by then.
bool VictimValidator::holds_together(const Attempt& attempt, const Solution& solution) const {
  const auto& queues = decisions_.queues();
  const auto& moving = context_.policy.config.consolidation;
  std::vector<policy::Amounts> taken(queues.queues().size(), policy::Amounts(queues.resources()));
  auto moves_left = moving.enabled ? moving.max_jobs : 0;
  for (const bool move : {false, true}) {
    for (const auto& chunk : solution.victims) {
      const bool moves = std::ranges::all_of(
          chunk.tasks, [&](auto* task) { return solution.moved.contains(task); });
      if (moves != move || goes_along(chunk)) continue;
      if (would_reclaim_back(attempt, chunk, taken)) return false;
      if (moves && !queue_gives(attempt, chunk, taken) && --moves_left < 0) return false;
      for (auto at = chunk.job->queue; at; at = queues[*at].parent_index) {
        taken[at->get()] += chunk.counts;
      }
    }
  }
  return true;
}

/// By queue, what is taken for good: what is moved is not.
std::vector<policy::Taking> VictimValidator::takings(const Solution& solution) const {
  std::vector<policy::Taking> takings;
  for (const auto& chunk : solution.victims) {
    if (goes_along(chunk)) continue;
    policy::Amounts gone(decisions_.queues().resources());
    bool any = false;
    for (auto* task : chunk.tasks) {
      if (solution.moved.contains(task)) continue;
      gone += task->freed();
      any = true;
    }
    if (!any) continue;
    const auto queue = *chunk.job->queue;
    auto at = std::ranges::find(takings, queue, &policy::Taking::queue);
    if (at == takings.end()) at = takings.insert(takings.end(), {queue, {}});
    at->chunks.push_back(gone);
  }
  return takings;
}

}  // namespace dray::planner
