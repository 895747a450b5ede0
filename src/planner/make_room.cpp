#include "planner/make_room.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "dray/base/saturating_time.h"
#include "dray/policy/capacity.h"
#include "planner/other_jobs.h"

namespace dray::planner {
namespace {

EvictionCause cause_of(Action action) {
  switch (action) {
    case Action::consolidate:
      return EvictionCause::consolidation;
    case Action::reclaim:
      return EvictionCause::reclaim;
    case Action::preempt:
      return EvictionCause::preemption;
  }
  std::unreachable();
}

/// The job waits because of what the nodes have, and not because of itself or its queue.
bool looked_for_room(Reason reason) {
  switch (reason_info(reason).stage) {
    case ReasonStage::none:
    case ReasonStage::job:
    case ReasonStage::queue:
      return false;
    case ReasonStage::room:
    case ReasonStage::node:
    case ReasonStage::devices:
      return true;
  }
  std::unreachable();
}

/// Null: the plan does not evict the pod so far.
Eviction* eviction_of(const Task& task, std::span<Eviction> evictions) {
  const auto found = std::ranges::find_if(evictions, [&](const Eviction& eviction) {
    return std::ranges::find(eviction.pods, task.pod().meta.uid) != eviction.pods.end();
  });
  return found == evictions.end() ? nullptr : &*found;
}

/// Who is evicted already, and had other room, loses that, and has what the solution gives it.
void move_again(std::span<Eviction> evictions, const Solution& solution) {
  for (const auto& chunk : solution.victims) {
    for (const auto* task : chunk.tasks) {
      auto* eviction = eviction_of(*task, evictions);
      if (eviction == nullptr) continue;
      std::erase_if(eviction->moved, [&](const Placement& placement) {
        return placement.pod_uid == task->pod().meta.uid;
      });
    }
  }
  for (const auto& [task, to] : solution.moved) {
    auto* eviction = eviction_of(*task, evictions);
    if (eviction != nullptr) eviction->moved.push_back(to.placement);
  }
}

/// The evictions of a solution beside those `before`, job by job; pods that only this plan placed
/// are none.
std::vector<Eviction> evictions_of(const PlanJob& job, const Solution& solution, Action action,
                                   std::span<Eviction> before) {
  std::vector<PlanJob*> victims;
  for (const auto& chunk : solution.victims) {
    if (std::ranges::find(victims, chunk.job) == victims.end()) victims.push_back(chunk.job);
  }
  std::vector<Eviction> evictions;
  for (const auto* victim : victims) {
    Eviction eviction{.job = victim->job->uid,
                      .pods = {},
                      .cause = cause_of(action),
                      .beneficiary = job.job->uid,
                      .moved = {},
                      .detail = eviction_text(*victim->job, *job.job)};
    for (const auto& chunk : solution.victims) {
      if (chunk.job != victim) continue;
      for (auto* task : chunk.tasks) {
        if (task->just_placed() || eviction_of(*task, before) != nullptr) continue;
        eviction.pods.push_back(task->pod().meta.uid);
        const auto moved = solution.moved.find(task);
        if (moved != solution.moved.end()) eviction.moved.push_back(moved->second.placement);
      }
    }
    if (!eviction.pods.empty()) evictions.push_back(std::move(eviction));
  }
  return evictions;
}

}  // namespace

MakeRoom::MakeRoom(const PlanContext& context, JobTable& jobs, Overlay& overlay, Placer& placer,
                   Decisions& decisions, Turns& turns, RoomKeeper& keeper, const JobWatch* watch)
    : context_(context),
      jobs_(jobs),
      overlay_(overlay),
      placer_(placer),
      decisions_(decisions),
      turns_(turns),
      keeper_(keeper),
      search_(context, jobs, overlay, placer, decisions),
      again_at_(context.input.now) {
  trying_.watch = watch;
}

bool MakeRoom::may_evict(const PlanJob& job, Action action) {
  if (!job.job->may_evict) return false;
  if (action == Action::consolidate && !job.job->preemptible) return false;
  const auto* outcome = decisions_.find(job);
  if (outcome != nullptr && !outcome->held.empty()) return false;
  if (const auto until = job.job->evictions_paused_until; until && *until > context_.input.now) {
    again_at_.add(*until);
    say_paused(job);
    return false;
  }
  if (!job.job->evict_delay) return true;
  const auto since = std::max(job.job->created, job.job->evicted.value_or(job.job->created));
  const auto end = saturating_add(since, *job.job->evict_delay);
  again_at_.add(end);
  return end <= context_.input.now;
}

/// Whether a queue waits for what others have above their shares.
bool MakeRoom::somebody_owed(std::span<PlanJob* const> waiting) const {
  if (!context_.input.actions.reclaim || !context_.policy.config.reclaim.enabled) return false;
  return std::ranges::any_of(waiting, [&](const PlanJob* job) {
    if (job->waiting == 0 || !job->has_next()) return false;
    const auto least = job->least_of(job->next_chunk(), decisions_.queues().resources());
    return policy::may_reclaim(decisions_.queues(), {*job->queue, least, job->job->preemptible});
  });
}

/// Whether what the queues hold lets the action help the job at all.
bool MakeRoom::within_bounds(const PlanJob& job, const policy::Reclaimer& reclaimer,
                             Action action) {
  const auto& queues = decisions_.queues();
  const bool may_reclaim = policy::may_reclaim(queues, reclaimer);
  if (action == Action::reclaim && !may_reclaim) {
    say_over_share(job);
    return false;
  }
  if (action != Action::preempt && !reclaimer.preemptible &&
      policy::over_quota(queues, reclaimer.queue, reclaimer.requested)) {
    return false;
  }
  // What is moved for a job above its queue's share would be reclaimed next.
  if (somebody_owed_ && !may_reclaim) return false;
  return action != Action::consolidate ||
         !policy::check_capacity(queues, reclaimer.queue, reclaimer.requested,
                                 reclaimer.preemptible);
}

void MakeRoom::say_paused(const PlanJob& job) {
  auto& outcome = decisions_.outcome(job);
  if (!looked_for_room(outcome.reason) || !paused_.insert(&job).second) return;
  outcome.detail +=
      "; no other job is evicted for it for a while: kube-scheduler rejected the nodes that were "
      "freed for it before";
}

void MakeRoom::say_over_share(const PlanJob& job) {
  const auto& outcome = decisions_.outcome(job);
  if (looked_for_room(outcome.reason)) {
    decisions_.wait(job, Reason::over_fair_share, outcome.detail);
  }
}

MakeRoom::Kind MakeRoom::kind_of(const PlanJob& job, std::span<const std::uint32_t> chunk,
                                 Action action) {
  Kind kind{.action = action,
            .queue = *job.queue,
            .preemptible = job.job->preemptible,
            .priority = action == Action::preempt ? job.job->priority : 0,
            .job = {},
            .shapes = {}};
  if (chunk.size() > 1 || !job.job->evicted_for.empty()) kind.job = job.job->uid;
  for (const auto id : chunk) kind.shapes.push_back(job.tasks[id].shape->number);
  return kind;
}

/// The same for a job that others wait behind: with victims it needs no room to be kept.
bool MakeRoom::help_with_kept_room(PlanJob& job, Action action, const JobOrder& order) {
  const RoomKeeper::Lifted lifted(keeper_);
  const bool helped = help(job, action, order);
  if (helped) keeper_.drop();
  return helped;
}

/// Whether the job got room; of a gang other groups get it where those that come first cannot.
bool MakeRoom::help(PlanJob& job, Action action, const JobOrder& order) {
  bool helped = help_next_chunk(job, action, order);
  while (!helped && job.gang && !search_.exhausted() && !placer_.fit().exhausted()) {
    const auto chunk = job.next_chunk();
    if (chunk.empty() || !job.pass_over(hardest_of(job, chunk))) break;
    helped = help_next_chunk(job, action, order);
  }
  job.pass_over_none();
  return helped;
}

/// One of the chunk that no node takes, whoever leaves; else the first.
const Task& MakeRoom::hardest_of(const PlanJob& job, std::span<const std::uint32_t> chunk) {
  auto& fit = placer_.fit();
  const Shape* fits = nullptr;  // of the last one that did
  const auto fits_nowhere = [&](std::uint32_t id) {
    const auto& task = job.tasks[id];
    if (fits != nullptr && task.shape.get() == fits) return false;
    fits = task.shape.get();
    return task.shape == nullptr || std::ranges::none_of(fit.everywhere().nodes, [&](auto node) {
             const auto reason = fit.verdict(task, node).releasing;
             return reason == Reason::none || reason_info(reason).eviction_helps;
           });
  };
  const auto found = std::ranges::find_if(chunk, fits_nowhere);
  return job.tasks[found == chunk.end() ? chunk.front() : *found];
}

bool MakeRoom::help_next_chunk(PlanJob& job, Action action, const JobOrder& order) {
  const auto chunk = job.next_chunk();
  if (std::ranges::any_of(chunk, [&](auto id) { return job.tasks[id].shape == nullptr; })) {
    return false;
  }
  // This plan evicts its minimum: what waits is no gang any more.
  if (!job.reaches_minimum(chunk)) return false;
  const policy::Reclaimer reclaimer{
      *job.queue, job.least_of(chunk, decisions_.queues().resources()), job.job->preemptible};
  if (!within_bounds(job, reclaimer, action)) {
    ++made_.refused_early;
    return false;
  }
  // One of its kind failed, and nobody has gone since.
  auto kind = kind_of(job, chunk, action);
  // Victims on the room that is kept for it may leave for it alone.
  if (keeper_.keeps_for(job)) kind.job = job.job->uid;
  const auto before = failed_.find(kind);
  if (before != failed_.end() && before->second == sets_evicted_) return false;
  const bool within_share = action == Action::reclaim || somebody_owed_;
  if (sets_evicted_ > 0 && use_leftovers(job, chunk, reclaimer, within_share)) return true;
  const auto solution = search_.solve(job, chunk, action, order, within_share);
  if (!solution) {
    if (!cut_short_by()) failed_[std::move(kind)] = sets_evicted_;
    return false;
  }
  ++sets_evicted_;
  carry_out(job, *solution, action);
  return true;
}

/// Others' victims may have left more than was needed.
bool MakeRoom::use_leftovers(PlanJob& job, std::span<const std::uint32_t> chunk,
                             const policy::Reclaimer& reclaimer, bool within_share) {
  if (policy::check_capacity(overlay_.queues(), *job.queue, reclaimer.requested,
                             job.job->preemptible)) {
    return false;
  }
  const auto& queue = decisions_.queues()[*job.queue];
  const auto share = queue.fair_share - queue.allocated;
  const auto placed = placer_.place(job, chunk, placer_.fit().everywhere(), Room::releasing,
                                    within_share ? &share : nullptr);
  if (!placed) return false;
  decisions_.hold(job, *placed, overlay_.queues());
  return true;
}

void MakeRoom::carry_out(PlanJob& job, const Solution& solution, Action action) {
  auto evictions = evictions_of(job, solution, action, made_.evictions);
  move_again(made_.evictions, solution);
  search_.commit(solution);
  const bool evicts = withdraw(job, solution) || !evictions.empty();
  std::ranges::move(evictions, std::back_inserter(made_.evictions));
  for (const auto& victim : solution.victims) decisions_.settle(*victim.job, overlay_.queues());
  const bool idle = std::ranges::all_of(solution.placed,
                                        [](const Placed& each) { return each.room == Room::idle; });
  if (evicts || !idle) {
    const auto left = action == Action::consolidate ? Left::moved : Left::for_good;
    decisions_.hold(job, solution.placed, overlay_.queues(), left);
  } else {
    decisions_.start(job, solution.placed, overlay_.queues());
  }
}

/// Takes back what this plan itself gave the victims; whether others are evicted for it.
bool MakeRoom::withdraw(const PlanJob& taker, const Solution& solution) {
  std::vector<const PlanJob*> losers;
  for (const auto& victim : solution.victims) {
    for (auto* task : victim.tasks) {
      if (!task->just_placed()) continue;
      auto& outcome = decisions_.outcome(*victim.job);
      const auto its = [&](const Placement& placement) {
        return placement.pod_uid == task->pod().meta.uid;
      };
      std::erase_if(outcome.placements, its);
      if (const auto held = std::ranges::find_if(outcome.held, its); held != outcome.held.end()) {
        const auto to = solution.moved.find(task);
        // On room that is free it does not need those who move for it any more.
        const bool waits_on = to != solution.moved.end() && to->second.room != Room::idle &&
                              to->second.placement.node == held->node;
        if (!waits_on) losers.push_back(victim.job);
        outcome.held.erase(held);
        decisions_.forget(*task);
      }
      const bool none = outcome.placements.empty() && outcome.held.empty();
      if (none) outcome.warnings.clear();
      if (solution.moved.contains(task)) continue;
      overlay_.return_to_waiting(*victim.job, *task);
      if (none) {
        made_.losers.push_back(victim.job);
        decisions_.wait(*victim.job, Reason::room_kept,
                        "its room goes to " + job_for(*victim.job->job, *taker.job));
      }
    }
  }
  bool passed_on = false;
  for (const auto* job : losers) {
    if (decisions_.outcome(*job).held.empty()) passed_on = pass_on(*job, taker) || passed_on;
  }
  place_elsewhere(solution);
  return passed_on;
}

/// Who moves for a job that has lost the room moves for the one that took it; whether anybody does.
bool MakeRoom::pass_on(const PlanJob& from, const PlanJob& taker) {
  const auto others = std::ranges::stable_partition(made_.evictions, [&](const Eviction& eviction) {
    return eviction.beneficiary != from.job->uid;
  });
  for (auto& eviction : others) {
    eviction.beneficiary = taker.job->uid;
    eviction.detail = eviction_text(*jobs_.find(eviction.job)->job, *taker.job);
  }
  return !others.empty();
}

/// What this plan itself gave the victims and gives them elsewhere now.
void MakeRoom::place_elsewhere(const Solution& solution) {
  std::set<const PlanJob*> done;
  for (const auto& victim : solution.victims) {
    const auto* job = victim.job;
    if (!done.insert(job).second) continue;
    std::vector<Placed> placed;
    for (const auto& [task, to] : solution.moved) {
      const bool its =
          std::ranges::any_of(job->tasks, [&](const auto& own) { return &own == task; });
      if (its && task->just_placed()) placed.push_back(to);
    }
    if (placed.empty()) continue;
    if (solution.only_placed_anew(*job)) {
      decisions_.start(*job, placed, overlay_.queues());
    } else {
      decisions_.hold(*job, placed, overlay_.queues(), Left::for_another);
    }
  }
}

}  // namespace dray::planner
