#include <fmt/format.h>

#include <algorithm>

#include "dray/policy/capacity.h"
#include "planner/plan_maker.h"

// Room from others: consolidation, reclaim, preemption; and gangs that run on without their
// minimum.

namespace dray::planner {
namespace {

EvictionCause cause_of(Way way) {
  if (way == Way::reclaim) return EvictionCause::reclaim;
  return way == Way::preempt ? EvictionCause::preemption : EvictionCause::consolidation;
}

/// The job waits because of what the nodes have, and not because of itself or its queue.
bool looked_for_room(Reason reason) {
  const auto stage = reason_info(reason).stage;
  return stage == ReasonStage::room || stage == ReasonStage::node || stage == ReasonStage::devices;
}

}  // namespace

bool PlanMaker::may_take(const PlanJob& job, Way way) {
  if (!job.job->may_evict) return false;
  if (way == Way::consolidate && !job.job->preemptible) return false;
  const auto at = outcomes_.find(&job);
  if (at != outcomes_.end() && !plan_.jobs[at->second].held.empty()) return false;
  if (!job.job->evict_delay) return true;
  const auto since = std::max(job.job->created, job.job->evicted.value_or(job.job->created));
  const auto end = since + *job.job->evict_delay;
  if (end <= input_.now) return true;
  say_again(end);
  return false;
}

void PlanMaker::take_back(Way way) {
  JobTurns turns(queues_, total_, input_.now, policy_.config.aging);
  for (auto* job : waiting_) {
    if (job->waiting > 0 && !job->next_chunk().empty() && may_take(*job, way)) turns.add(*job);
  }
  turns.start();
  somebody_owed_ = way == Way::consolidate && somebody_owed();
  std::size_t served = 0;
  while (auto* job = turns.next()) {
    if (++served > input_.budget.jobs || fit_.exhausted() ||
        plan_.scenarios >= input_.budget.scenarios) {
      plan_.exhausted = true;
      break;
    }
    const bool evicted = try_take(*job, way, turns);
    turns.settle(false);
    if (evicted) turns.reorder();
  }
}

/// Whether a queue waits for what others have above their shares.
bool PlanMaker::somebody_owed() const {
  if (!input_.actions.reclaim || !policy_.config.reclaim.enabled) return false;
  return std::ranges::any_of(waiting_, [&](const PlanJob* job) {
    const auto chunk = job->waiting > 0 ? job->next_chunk() : std::vector<std::uint32_t>();
    if (chunk.empty()) return false;
    const auto counts = job->counts_of(chunk, queues_.resources());
    return policy::may_reclaim(decided_, {*job->queue, counts, job->job->preemptible});
  });
}

/// What decides whether a job could be helped: one of the same kind failed, and nobody has gone
/// since.
std::string PlanMaker::signature(const PlanJob& job, std::span<const std::uint32_t> chunk,
                                 Way way) const {
  auto text = fmt::format("{} {} {} {}", static_cast<int>(way), job.queue->get(),
                          job.job->preemptible, way == Way::preempt ? job.job->priority : 0);
  // Its groups and domains are its own, and whom it made room for.
  if (chunk.size() > 1 || !job.job->evicted_for.empty()) text += job.job->uid.get();
  for (const auto id : chunk) {
    text += fmt::format(" {}", job.tasks[id].shape == nullptr ? 0 : job.tasks[id].shape->number);
  }
  return text;
}

bool PlanMaker::try_take(PlanJob& job, Way way, const JobTurns& turns) {
  const auto chunk = job.next_chunk();
  const auto counts = job.counts_of(chunk, queues_.resources());
  if (std::ranges::any_of(chunk, [&](auto id) { return job.tasks[id].shape == nullptr; })) {
    return false;
  }
  const policy::Reclaimer taker{*job.queue, counts, job.job->preemptible};
  if (way == Way::reclaim && !policy::may_reclaim(decided_, taker)) {
    ++plan_.refused_early;
    auto& made = outcome(job);
    if (looked_for_room(made.reason)) wait(job, Reason::over_fair_share, made.detail);
    return false;
  }
  if (way != Way::preempt && !job.job->preemptible &&
      policy::over_quota(decided_, *job.queue, counts)) {
    ++plan_.refused_early;
    return false;
  }
  if (somebody_owed_ && !policy::may_reclaim(decided_, taker)) {
    // What is moved for a job above its queue's share would be taken back next.
    ++plan_.refused_early;
    return false;
  }
  if (way == Way::consolidate &&
      policy::check_capacity(decided_, *job.queue, counts, job.job->preemptible)) {
    ++plan_.refused_early;
    return false;
  }
  auto key = signature(job, chunk, way);
  const auto before = failed_.find(key);
  if (before != failed_.end() && before->second == sets_evicted_) return false;
  if (sets_evicted_ > 0 &&
      !policy::check_capacity(queues_, *job.queue, counts, job.job->preemptible)) {
    // Others' victims may have left more than was needed.
    const auto placed = place_.place(job, chunk, open_nodes_, true);
    if (!placed.empty()) {
      take(job, placed, true);
      return true;
    }
  }
  const auto solution = take_back_.solve(job, chunk, way, turns);
  if (!solution) {
    failed_[std::move(key)] = sets_evicted_;
    return false;
  }
  ++sets_evicted_;
  take_back_.commit(job, *solution, way);
  const bool evicts = withdraw(job, *solution);
  for (const auto& victim : solution->victims) decide(*victim.job);
  take(job, solution->placed, evicts || !std::ranges::all_of(solution->placed, &Placed::now));
  return true;
}

/// Takes back what this plan itself gave the victims; whether others have to go as well.
bool PlanMaker::withdraw(const PlanJob& taker, const TakeBack::Solution& solution) {
  bool evicts = false;
  for (const auto& victim : solution.victims) {
    for (auto* task : victim.tasks) {
      if (!task->just_placed()) {
        evicts = true;
        continue;
      }
      auto& made = outcome(*victim.job);
      std::erase_if(made.placements, [&](const Placement& placement) {
        return placement.pod_uid == task->pod().meta.uid;
      });
      if (const auto elsewhere = solution.moved.find(task); elsewhere != solution.moved.end()) {
        made.held.push_back(elsewhere->second);
        take_back_.keep(*task);
        continue;
      }
      overlay_.let_wait(*victim.job, *task);
      if (!made.placements.empty() || !made.held.empty()) continue;
      made.warnings.clear();
      made.reason = Reason::room_kept;
      made.detail = "its room goes to " + taker.job->name;
    }
  }
  return evicts;
}

void TakeBack::commit(const PlanJob& job, const Solution& solution, Way way) {
  const auto& taker = run_.decided[*job.queue];
  std::vector<PlanJob*> order;
  bool recollect = !solution.moved.empty();
  for (const auto& chunk : solution.victims) {
    if (std::ranges::find(order, chunk.job) == order.end()) order.push_back(chunk.job);
    recollect = recollect || chunk.job->placed > 0;
    for (const auto* task : chunk.tasks) {
      if (task->just_placed()) continue;
      ++evicted_;
      ++evictions_of_[chunk.job->queue->get()];
      const auto budgets = budgets_of_.find(task->pod().meta.uid);
      if (budgets == budgets_of_.end()) continue;
      for (const auto i : budgets->second) --disruptions_left_[i];
    }
  }
  for (const auto* victim : order) {
    const auto& giver = run_.decided[*victim->queue];
    Eviction eviction{
        .job = victim->job->uid,
        .pods = {},
        .cause = cause_of(way),
        .beneficiary = job.job->uid,
        .moved = {},
        .detail = fmt::format("{} of queue {} makes room for {} of queue {}", victim->job->name,
                              giver.name.get(), job.job->name, taker.name.get())};
    for (const auto& chunk : solution.victims) {
      if (chunk.job != victim) continue;
      for (auto* task : chunk.tasks) {
        if (task->just_placed()) continue;
        eviction.pods.push_back(task->pod().meta.uid);
        const auto moved = solution.moved.find(task);
        if (moved != solution.moved.end()) eviction.moved.push_back(moved->second);
      }
    }
    if (!eviction.pods.empty()) run_.plan.evictions.push_back(std::move(eviction));
  }
  for (const auto& [task, placement] : solution.moved) moved_.insert(task);
  if (recollect) collected_ = false;
}

/// Gangs that run below their minimum for longer than they may.
void PlanMaker::end_stale_gangs() {
  for (auto* job : jobs_.all()) {
    if (!job->gang || job->placed == 0 || job->phase() != policy::GangPhase::below_minimum) {
      continue;
    }
    const bool succeeded = std::ranges::any_of(
        job->tasks, [](const auto& task) { return task.pod().phase == "Succeeded"; });
    const auto allowed = job->job->stale_after.value_or(policy_.config.gangs.stale_after);
    if (succeeded || allowed < Duration{0}) continue;
    const auto since = job->job->stale_since.value_or(input_.now);
    plan_.stale.push_back({job->job->uid, since});
    if (since + allowed > input_.now) {
      say_again(since + allowed);
      continue;
    }
    Eviction eviction{.job = job->job->uid,
                      .pods = {},
                      .cause = EvictionCause::stale_gang,
                      .beneficiary = std::nullopt,
                      .moved = {},
                      .detail = job->job->name + " runs below its minimum"};
    for (const auto& task : job->tasks) {
      if (task.state == policy::TaskState::placed && task.member->state == MemberState::placed) {
        eviction.pods.push_back(task.pod().meta.uid);
      }
    }
    if (!eviction.pods.empty()) plan_.evictions.push_back(std::move(eviction));
  }
}

}  // namespace dray::planner
