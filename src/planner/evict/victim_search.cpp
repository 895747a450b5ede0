#include "planner/evict/victim_search.h"

#include <algorithm>
#include <utility>

#include "dray/policy/capacity.h"
#include "dray/policy/min_runtime.h"
#include "planner/evict/victim_capacity.h"

namespace dray::planner {
namespace {

using cluster::NodeIndex;
using policy::QueueIndex;

/// Sets of victims this small are looked through for one that can do without some of them.
constexpr std::size_t few_victims = 32;

}  // namespace

TakeBack::TakeBack(PlanRun& run) : run_(run) {
  const auto& budgets = run.input.disruption_budgets;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    disruptions_left_.push_back(budgets[i].allowed);
    for (const auto& pod : budgets[i].pods) budgets_of_[pod].push_back(i);
  }
  evictions_of_.assign(run.decided.queues().size(), 0);
}

void TakeBack::say_again(Time time) {
  if (!again_at_ || time < *again_at_) again_at_ = time;
}

/// Jobs that may be moved at all, those that are served last first.
void TakeBack::collect_victims(const JobTurns& turns) {
  collected_ = true;
  candidates_.assign(run_.decided.queues().size(), {});
  const auto cooldown = run_.policy.config.budgets.victim_cooldown;
  for (auto* job : run_.jobs.all()) {
    if (!job->job->evicted_for.empty()) evicted_for_.emplace(job->job->lineage, job);
    if (job->placed == 0 || !job->queue || !job->job->preemptible) continue;
    if (job->job->evicted && *job->job->evicted + cooldown > run_.input.now) {
      say_again(*job->job->evicted + cooldown);
      continue;
    }
    // What this plan has moved stays.
    const bool moved = std::ranges::any_of(
        job->tasks, [this](const auto& task) { return moved_.contains(&task); });
    if (!moved) candidates_[job->queue->get()].push_back(job);
  }
  for (auto& jobs : candidates_) turns.sort_backwards(jobs);
}

std::vector<char> TakeBack::open_queues(const Attempt& attempt) const {
  std::vector<char> open(run_.decided.queues().size(), 0);
  const policy::Reclaimer reclaimer{*attempt.job.queue, attempt.counts,
                                    attempt.job.job->preemptible};
  for (std::uint32_t i = 0; i < open.size(); ++i) {
    const QueueIndex queue(i);
    if (candidates_[i].empty()) continue;
    const bool own = queue == *attempt.job.queue;
    switch (attempt.way) {
      case Way::consolidate:
        open[i] = 1;
        break;
      case Way::preempt:
        open[i] = own ? 1 : 0;
        break;
      case Way::reclaim:
        open[i] = !own && policy::may_give(run_.decided, reclaimer, queue) ? 1 : 0;
        break;
    }
  }
  return open;
}

bool TakeBack::may_give(const Attempt& attempt, const PlanJob& victim) {
  if (&victim == &attempt.job) return false;
  if (attempt.way == Way::preempt) return victim.job->priority < attempt.job.job->priority;
  return true;
}

bool TakeBack::protected_by_runtime(const Attempt& attempt, const PlanJob& victim) {
  if (attempt.way == Way::consolidate || !victim.job->started) return false;
  const auto& config = run_.policy.config;
  const auto least =
      attempt.way == Way::preempt
          ? policy::preempt_min_runtime(run_.decided, victim.queue, config.preemption.min_runtime)
          : policy::reclaim_min_runtime(run_.decided, *attempt.job.queue, victim.queue,
                                        config.reclaim.resolution, config.reclaim.min_runtime);
  const auto end = *victim.job->started + least;
  if (end <= run_.input.now) return false;
  say_again(end);
  return true;
}

/// Whom the job made room for, and whom these did.
void TakeBack::find_betters(const PlanJob& job) {
  betters_.clear();
  std::vector<const PlanJob*> open{&job};
  while (!open.empty()) {
    const auto* at = open.back();
    open.pop_back();
    for (const auto& [to, until] : at->job->evicted_for) {
      if (until <= run_.input.now || !betters_.insert(to).second) continue;
      say_again(until);
      const auto next = evicted_for_.find(to);
      if (next != evicted_for_.end()) open.push_back(next->second);
    }
  }
}

bool TakeBack::goes_in_circles(const Attempt& attempt, const Chunk& chunk,
                               std::span<const policy::Amounts> taken) const {
  if (attempt.way == Way::consolidate || !betters_.contains(chunk.job->job->lineage)) return false;
  if (attempt.way == Way::preempt) return true;
  const auto [taker, giver] = policy::rivals(run_.decided, *attempt.job.queue, *chunk.job->queue);
  const auto& queue = run_.decided[giver];
  return !policy::guarantees_quota(run_.decided[taker], attempt.counts, queue,
                                   queue.allocated - taken[giver.get()]);
}

/// By one of KAI's two strategies, with what was taken of the queue before.
bool TakeBack::chunk_holds(const Attempt& attempt, const Chunk& chunk,
                           std::span<const policy::Amounts> taken) const {
  if (attempt.way != Way::reclaim) return true;
  const auto [taker, giver] = policy::rivals(run_.decided, *attempt.job.queue, *chunk.job->queue);
  const auto& queue = run_.decided[giver];
  const auto remains = queue.allocated - taken[giver.get()];
  return policy::maintains_fair_share(queue, remains) ||
         policy::guarantees_quota(run_.decided[taker], attempt.counts, queue, remains);
}

bool TakeBack::reclaim_holds(const Attempt& attempt, std::span<const Chunk> victims,
                             const std::map<PlanTask*, Placement>& moved) const {
  if (attempt.way != Way::reclaim) return true;
  std::vector<policy::Taking> takings;
  for (const auto& chunk : victims) {
    policy::Amounts gone(run_.decided.resources());
    bool any = false;
    for (auto* task : chunk.tasks) {
      if (moved.contains(task)) continue;
      gone += task->need->counts;
      any = true;
    }
    if (!any) continue;
    const auto queue = *chunk.job->queue;
    auto at = std::ranges::find(takings, queue, &policy::Taking::queue);
    if (at == takings.end()) at = takings.insert(takings.end(), {queue, {}});
    at->chunks.push_back(gone);
  }
  return policy::reclaim_holds(run_.decided,
                               {*attempt.job.queue, attempt.counts, attempt.job.job->preemptible},
                               takings, run_.policy.config.reclaim.saturation_multiplier);
}

/// What this plan itself placed can be taken back, unless others make room for it or it has claims
/// that are not its alone.
bool TakeBack::may_go(const Attempt& attempt, const Chunk& chunk) const {
  return std::ranges::all_of(chunk.tasks, [&](const auto* task) {
    if (!task->just_placed()) return true;
    return attempt.way != Way::consolidate && !kept_.contains(task) && task->shape != nullptr &&
           !task->shape->singular && !run_.fit.counts_node_allocatable();
  });
}

/// Within the disruption budgets and the plan's own.
bool TakeBack::affordable(std::span<const Chunk> victims) const {
  std::size_t pods = 0;
  std::vector<std::int64_t> used(disruptions_left_.size(), 0);
  auto by_queue = evictions_of_;
  for (const auto& chunk : victims) {
    const auto running = static_cast<std::size_t>(
        std::ranges::count_if(chunk.tasks, [](const auto* task) { return !task->just_placed(); }));
    pods += running;
    by_queue[chunk.job->queue->get()] += static_cast<std::int64_t>(running);
    const auto bound = run_.policy.config.budgets.evictions_per_queue;
    if (bound && by_queue[chunk.job->queue->get()] > *bound) return false;
    if (budgets_of_.empty()) continue;
    for (const auto* task : chunk.tasks) {
      const auto budgets = budgets_of_.find(task->pod().meta.uid);
      if (budgets == budgets_of_.end()) continue;
      for (const auto i : budgets->second) {
        if (++used[i] > disruptions_left_[i]) return false;
      }
    }
  }
  return evicted_ + pods <= run_.input.budget.evictions;
}

std::optional<TakeBack::Solution> TakeBack::solve(PlanJob& job,
                                                  std::span<const std::uint32_t> chunk, Way way,
                                                  const JobTurns& turns) {
  if (run_.plan.scenarios >= run_.input.budget.scenarios) return std::nullopt;
  if (!collected_) collect_victims(turns);
  const Attempt attempt{job, chunk, job.counts_of(chunk, run_.decided.resources()), way};
  return search(attempt, turns);
}

std::optional<TakeBack::Solution> TakeBack::search(const Attempt& attempt, const JobTurns& turns) {
  VictimTurns walk(run_.decided, run_.total, turns, candidates_, open_queues(attempt));
  std::vector<Chunk> all;
  std::vector<policy::Amounts> taken(run_.decided.queues().size(),
                                     policy::Amounts(run_.decided.resources()));
  Rooms rooms(run_, attempt.job, attempt.chunk);
  find_betters(attempt.job);
  const auto mark = run_.overlay.mark();
  const TryPicked try_picked = [&](std::vector<std::size_t> picked) -> std::optional<Solution> {
    auto found = try_with(attempt, all, picked);
    if (!found) return std::nullopt;
    return try_fewer(attempt, all, std::move(picked), mark, std::move(*found));
  };
  std::size_t failed_with = 0;
  std::size_t failed_size = 0;
  // A queue that owes nothing may still have jobs moved.
  const auto& moving = run_.policy.config.consolidation;
  auto moves_left = moving.enabled && attempt.way == Way::reclaim ? moving.max_jobs : 0;
  while (auto chunk = walk.next()) {
    const bool owes = chunk_holds(attempt, *chunk, taken);
    const bool closed = !owes && --moves_left < 0;
    if (closed || !may_give(attempt, *chunk->job) ||
        (!chunk->keeps_minimum && protected_by_runtime(attempt, *chunk->job)) ||
        goes_in_circles(attempt, *chunk, taken) || !may_go(attempt, *chunk) ||
        !affordable(std::span(&*chunk, 1))) {
      walk.spare();
      if (closed) walk.close_queue(*chunk->job->queue);
      continue;
    }
    for (std::optional at = *chunk->job->queue; at; at = run_.decided[*at].parent_index) {
      taken[at->get()] += chunk->counts;
    }
    rooms.free(*chunk, all.size());
    all.push_back(std::move(*chunk));
    if (attempt.way == Way::consolidate &&
        all.size() > static_cast<std::size_t>(run_.policy.config.consolidation.max_jobs)) {
      break;
    }
    if (!rooms.enough()) continue;
    std::optional<Solution> found;
    if (attempt.chunk.size() == 1 && attempt.way != Way::consolidate) {
      std::vector<NodeIndex> nodes;
      for (const auto* task : all.back().tasks) {
        if (task->node && std::ranges::find(nodes, *task->node) == nodes.end()) {
          nodes.push_back(*task->node);
        }
      }
      for (const auto node : nodes) {
        if (rooms.of(node) == 0) continue;
        found = try_picked(rooms.chunks_on(node));
        if (found) break;
      }
    } else if (rooms.total() > failed_with || all.size() >= 2 * failed_size) {
      failed_with = rooms.total();
      failed_size = all.size();
      found = try_nodes(attempt, all, rooms, try_picked);
    }
    if (found) {
      walk.keep_marks();
      return found;
    }
    if (run_.plan.scenarios >= run_.input.budget.scenarios || run_.fit.exhausted()) break;
  }
  if (rooms.enough() && failed_size < all.size() && failed_size > 0) {
    if (auto found = try_nodes(attempt, all, rooms, try_picked)) {
      walk.keep_marks();
      return found;
    }
  }
  return std::nullopt;
}

/// The victims of a growing number of nodes, those first that are nearly enough by themselves.
std::optional<TakeBack::Solution> TakeBack::try_nodes(const Attempt& attempt,
                                                      std::span<const Chunk> all,
                                                      const Rooms& rooms,
                                                      const TryPicked& try_set) {
  auto need = attempt.chunk.size() - std::min(attempt.chunk.size(), rooms.elsewhere());
  std::vector<char> in(all.size(), 0);
  const auto givers = rooms.givers();
  std::size_t step = 1;
  std::size_t next_try = 0;
  for (std::size_t i = 0; i < givers.size(); ++i) {
    for (const auto place : givers[i].chunks) in[place] = 1;
    need -= std::min(need, givers[i].room);
    if (need > 0 || (i < next_try && i + 1 < givers.size())) continue;
    std::vector<std::size_t> picked;
    for (std::size_t place = 0; place < in.size(); ++place) {
      if (in[place] != 0) picked.push_back(place);
    }
    if (auto found = try_set(std::move(picked))) return found;
    next_try = i + step;
    step *= 2;
  }
  return std::nullopt;
}

/// The members of the chunks that are not picked run on in this attempt.
std::optional<TakeBack::Solution> TakeBack::try_with(const Attempt& attempt,
                                                     std::span<const Chunk> all,
                                                     std::span<const std::size_t> picked) {
  if (attempt.way != Way::consolidate) return try_order(attempt, all, picked, false);
  // All have to find room again: who goes first may decide it.
  auto found = try_order(attempt, all, picked, false);
  return found ? std::move(found) : try_order(attempt, all, picked, true);
}

std::optional<TakeBack::Solution> TakeBack::try_order(const Attempt& attempt,
                                                      std::span<const Chunk> all,
                                                      std::span<const std::size_t> picked,
                                                      bool victims_first) {
  if (run_.plan.scenarios >= run_.input.budget.scenarios) return std::nullopt;
  ++run_.plan.scenarios;
  Solution solution;
  for (const auto place : picked) solution.victims.push_back(all[place]);
  if (!affordable(solution.victims)) return std::nullopt;
  const auto mark = run_.overlay.mark();
  const auto all_are = [&](policy::TaskState state) {
    for (const auto& chunk : all) {
      for (auto* task : chunk.tasks) chunk.job->set_state(*task, state);
    }
  };
  all_are(policy::TaskState::placed);
  for (const auto& chunk : solution.victims) {
    for (auto* task : chunk.tasks) run_.overlay.evict(*chunk.job, *task);
  }
  const auto& job = attempt.job;
  if (victims_first) put_back(solution, false);
  bool holds = !policy::check_capacity(run_.overlay.queues(), *job.queue, attempt.counts,
                                       job.job->preemptible);
  if (holds) {
    solution.placed = run_.place.place(attempt.job, attempt.chunk, run_.fit.everywhere(), true);
    holds = !solution.placed.empty();
  }
  if (holds) {
    if (!victims_first) put_back(solution, true);
    const bool some_go = !solution.victims.empty();
    holds = some_go && reclaim_holds(attempt, solution.victims, solution.moved);
    if (attempt.way == Way::consolidate) {
      for (const auto& chunk : solution.victims) {
        for (auto* task : chunk.tasks) holds = holds && solution.moved.contains(task);
      }
    }
  }
  if (holds) return solution;
  run_.overlay.undo(mark);
  all_are(policy::TaskState::yielding);
  return std::nullopt;
}

/// Does without victims one by one, those that are served first before others.
std::optional<TakeBack::Solution> TakeBack::try_fewer(const Attempt& attempt,
                                                      std::span<const Chunk> all,
                                                      std::vector<std::size_t> picked,
                                                      PlanOverlay::Mark mark, Solution found) {
  const auto redo = [&](std::span<const std::size_t> set) {
    run_.overlay.undo(mark);
    return try_with(attempt, all, set);
  };
  if (picked.size() < 2 || picked.size() > few_victims) return found;
  std::vector<const PlanJob*> needed;
  bool current = true;
  for (std::size_t i = picked.size(); i-- > 0;) {
    const auto* job = all[picked[i]].job;
    if (std::ranges::find(needed, job) != needed.end()) continue;
    auto fewer = picked;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fewer.empty()) break;
    if (auto better = redo(fewer)) {
      found = std::move(*better);
      picked = std::move(fewer);
      current = true;
    } else {
      needed.push_back(job);
      current = false;
    }
  }
  if (current) return found;
  return redo(picked);
}

}  // namespace dray::planner
