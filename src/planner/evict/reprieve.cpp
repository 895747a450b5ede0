#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "dray/policy/capacity.h"
#include "planner/evict/victim_search.h"

// What becomes of victims: they stay after all, or go on elsewhere.

namespace dray::planner {

/// Victims that can stay after all, or go on elsewhere, the first served first.
void TakeBack::put_back(Solution& solution, bool may_stay) {
  std::vector<const PlanJob*> gone;
  for (auto chunk = solution.victims.rbegin(); may_stay && chunk != solution.victims.rend();
       ++chunk) {
    // All of a chunk, and only on top of what the job had without it.
    if (std::ranges::find(gone, chunk->job) != gone.end()) continue;
    // Its room may be free while its queue has none for it any more.
    if (policy::check_capacity(run_.overlay.queues(), *chunk->job->queue, chunk->counts,
                               chunk->job->job->preemptible)) {
      gone.push_back(chunk->job);
      continue;
    }
    const auto mark = run_.overlay.mark();
    std::vector<PlanTask*> leaves;
    for (auto* task : chunk->tasks) {
      if (!stays(*chunk->job, *task)) leaves.push_back(task);
    }
    // A part may stay if the rest goes on elsewhere.
    auto moved = solution.moved;
    if (!leaves.empty() && leaves.size() < chunk->tasks.size()) {
      move_elsewhere(*chunk->job, solution);
    }
    const bool whole =
        std::ranges::all_of(leaves, [&](PlanTask* task) { return solution.moved.contains(task); });
    if (whole) {
      chunk->tasks = std::move(leaves);
    } else {
      run_.overlay.undo(mark);
      solution.moved = std::move(moved);
      gone.push_back(chunk->job);
    }
  }
  std::erase_if(solution.victims, [](const Chunk& chunk) { return chunk.tasks.empty(); });
  std::vector<PlanJob*> jobs;
  for (auto chunk = solution.victims.rbegin(); chunk != solution.victims.rend(); ++chunk) {
    if (std::ranges::find(jobs, chunk->job) == jobs.end()) jobs.push_back(chunk->job);
  }
  for (auto* job : jobs) move_elsewhere(*job, solution);
}

void TakeBack::move_elsewhere(PlanJob& job, Solution& solution) {
  const auto resources = run_.decided.resources();
  while (true) {
    const auto chunk = job.next_chunk(true);
    const bool ours = !chunk.empty() && std::ranges::all_of(chunk, [&](auto id) {
      return job.tasks[id].state == policy::TaskState::yielding;
    });
    if (!ours) return;
    if (policy::check_capacity(run_.overlay.queues(), *job.queue, job.counts_of(chunk, resources),
                               job.job->preemptible)) {
      return;
    }
    for (const auto id : chunk) {
      auto& task = job.tasks[id];
      if (task.shape == nullptr) task.shape = run_.jobs.shape_of(task);
    }
    auto placed = run_.place.place(job, chunk, run_.fit.everywhere(), true);
    if (placed.empty()) return;
    for (auto& each : placed) solution.moved.insert_or_assign(each.task, each.placement);
  }
}

/// Whether the plan gave a device away that shares a counter set with this one.
bool TakeBack::counters_taken(cluster::PoolIndex pool, const DeviceName& device) const {
  const auto& slots = run_.input.snapshot->pool(pool).slots;
  const auto draws_on = [](const auto& published, const std::set<std::string>& sets) {
    return std::ranges::any_of(published.traits->consumes_counters,
                               [&](const auto& takes) { return sets.contains(takes.counter_set); });
  };
  std::set<std::string> sets;
  for (const auto& slot : slots) {
    for (const auto& published : slot.slice->devices) {
      if (*published.name != device.get()) continue;
      for (const auto& takes : published.traits->consumes_counters) sets.insert(takes.counter_set);
    }
  }
  if (sets.empty()) return false;
  // Who has been put back has what it had.
  const auto as_before = [](const auto& slot, std::size_t at, const cluster::DeviceUse& use) {
    return slot.use && std::ranges::any_of(*slot.use, [&](const auto& known) {
             return known.first == at && known.second == use;
           });
  };
  for (const auto& slot : slots) {
    const auto& devices = slot.slice->devices;
    for (std::size_t at = 0; at < devices.size(); ++at) {
      const auto* use = run_.overlay.soon().changed_use(pool, *devices[at].name);
      if (use == nullptr || use->none() || as_before(slot, at, *use)) continue;
      if (draws_on(devices[at], sets)) return true;
    }
  }
  return false;
}

/// Whether a victim's own room is not needed after all: its node and its very devices.
bool TakeBack::stays(PlanJob& job, PlanTask& task) {
  if (!task.node || task.just_placed()) return false;
  const auto& soon = run_.overlay.soon();
  if (task.shape == nullptr) task.shape = run_.jobs.shape_of(task);
  if (task.shape->fit.check(soon, *task.node) != Reason::none) return false;
  Placement placement{.pod = task.pod().key(),
                      .pod_uid = task.pod().meta.uid,
                      .node = run_.input.snapshot->name(*task.node),
                      .claims = {}};
  for (const auto& claim : task.claims) {
    const auto had = run_.input.snapshot->allocation(claim->key());
    if (!had) return false;
    if (!soon.allocation(claim->key())) {
      for (const auto& device : had->devices) {
        const auto pool = run_.input.snapshot->find_pool(device.device.driver, device.device.pool);
        if (!pool) return false;
        const auto* use = soon.changed_use(*pool, device.device.device.get());
        // A share may have gone to somebody else; only an unused device surely has not. Nor may
        // another that draws on the same counters have been taken since.
        if (use == nullptr || !use->none() || counters_taken(*pool, device.device.device)) {
          return false;
        }
      }
    }
    placement.claims.push_back({.claim = claim->key(),
                                .claim_uid = claim->meta.uid,
                                .allocation = *had,
                                .already_allocated = true});
  }
  run_.overlay.put_back(job, task, placement);
  return true;
}

}  // namespace dray::planner
