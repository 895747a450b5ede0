#include "planner/evict/reprieve.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dray/policy/capacity.h"

namespace dray::planner {
namespace {

/// For each chunk, the lowest priority in its queue among those up to it.
std::vector<std::int32_t> lowest_so_far(std::span<const Victims> victims) {
  std::map<std::optional<policy::QueueIndex>, std::int32_t> lowest;
  std::vector<std::int32_t> found;
  found.reserve(victims.size());
  for (const auto& chunk : victims) {
    const auto priority = chunk.job->job->priority;
    auto& known = lowest.try_emplace(chunk.job->queue, priority).first->second;
    found.push_back(known = std::min(known, priority));
  }
  return found;
}

/// The chunk with those that go with it.
std::span<Victims> unit_at(std::span<Victims> victims, std::size_t at) {
  auto first = at;
  while (first > 0 && victims[first].goes_with_last) --first;
  auto last = at + 1;
  while (last < victims.size() && victims[last].goes_with_last) ++last;
  return victims.subspan(first, last - first);
}

}  // namespace

void Reprieve::spare(PlanJob& job, Solution& solution, First first) {
  auto& victims = solution.victims;
  const auto lowest = lowest_so_far(victims);
  std::vector<std::size_t> turns(victims.size());
  std::iota(turns.rbegin(), turns.rend(), std::size_t{0});
  if (first == First::only_moved) {
    std::ranges::stable_partition(turns, [&](auto i) { return victims[i].only_moves; });
  }
  std::unordered_set<const PlanJob*> gone;
  for (const auto i : turns) {
    // All of a chunk, and only on top of what the job had without it.
    const auto unit = unit_at(victims, i);
    if (unit.size() > 1) {
      if (&unit.front() != &victims[i]) continue;
      const bool stays = std::ranges::none_of(
                             unit, [&](const Victims& each) { return gone.contains(each.job); }) &&
                         spare_unit(unit);
      for (const auto& each : unit) {
        if (!stays) gone.insert(each.job);
      }
      continue;
    }
    auto& of = *victims[i].job;
    if (gone.contains(&of)) continue;
    if (spare_chunk(job, solution, victims[i])) continue;
    gone.insert(&of);
    if (lowest[i] < of.job->priority) move_job(of, solution);
  }
  std::erase_if(solution.victims, [](const Victims& chunk) { return chunk.tasks.empty(); });
  move(solution);
}

bool Reprieve::stay(PlanJob& of, std::span<Task* const> tasks) {
  policy::Amounts counts(overlay_.queues().resources());
  for (const auto* task : tasks) counts += task->freed();
  if (policy::check_capacity(overlay_.queues(), *of.queue, counts, of.job->preemptible)) {
    return false;
  }
  const auto mark = overlay_.mark();
  std::vector<Placed> nothing;
  PlacedBefore before;
  for (auto* task : tasks) {
    if (stays(of, nothing, of, *task, before)) continue;
    overlay_.undo(mark);
    return false;
  }
  return true;
}

void Reprieve::move(Solution& solution) {
  std::unordered_set<const PlanJob*> seen;
  for (const auto& chunk : solution.victims | std::views::reverse) {
    if (seen.insert(chunk.job).second) move_job(*chunk.job, solution);
  }
}

/// Whether all of them stay where they were.
bool Reprieve::spare_unit(std::span<Victims> unit) {
  const auto mark = overlay_.mark();
  for (auto& chunk : unit) {
    if (stay(*chunk.job, chunk.tasks)) continue;
    overlay_.undo(mark);
    return false;
  }
  for (auto& chunk : unit) chunk.tasks.clear();
  return true;
}

/// Whether the chunk goes on, where it was or elsewhere; the chunk keeps the tasks that move.
bool Reprieve::spare_chunk(PlanJob& job, Solution& solution, Victims& chunk) {
  // Some may have gone on with another chunk of the job.
  const auto has_moved = [&](Task* task) { return solution.moved.contains(task); };
  policy::Amounts counts(overlay_.queues().resources());
  for (auto* task : chunk.tasks) {
    if (!has_moved(task)) counts += task->freed();
  }
  // Its room may be free while its queue has none for it any more.
  if (policy::check_capacity(overlay_.queues(), *chunk.job->queue, counts,
                             chunk.job->job->preemptible)) {
    return false;
  }
  const auto mark = overlay_.mark();
  std::vector<Task*> leaves;
  PlacedBefore before;
  for (auto* task : chunk.tasks) {
    if (!stays(job, solution.placed, *chunk.job, *task, before)) leaves.push_back(task);
  }
  // A part may stay if the rest goes on elsewhere.
  auto moved = solution.moved;
  if (!leaves.empty() && leaves.size() < chunk.tasks.size()) move_job(*chunk.job, solution);
  if (std::ranges::all_of(leaves, has_moved)) {
    chunk.tasks = std::move(leaves);
    return true;
  }
  overlay_.undo(mark);
  solution.moved = std::move(moved);
  if (before) solution.placed = *std::move(before);
  return false;
}

/// Chunk by chunk, as long as there is room for all of one.
void Reprieve::move_job(PlanJob& job, Solution& solution) {
  while (true) {
    const auto chunk = job.next_chunk(true);
    const bool ours = !chunk.empty() && std::ranges::all_of(chunk, [&](auto id) {
      return job.tasks[id].state == policy::TaskState::yielding && !job.tasks[id].with_sharers;
    });
    if (!ours) return;
    for (const auto id : chunk) {
      auto& task = job.tasks[id];
      if (task.shape == nullptr) task.shape = jobs_.shape_of_victim(task);
    }
    const auto least = job.least_of(chunk, context_.policy.queues.resources());
    if (policy::check_capacity(overlay_.queues(), *job.queue, least, job.job->preemptible)) {
      return;
    }
    auto placed = placer_.place(job, chunk, placer_.fit().everywhere(), Room::releasing);
    if (!placed) return;
    for (auto& each : *placed) {
      solution.moved.insert_or_assign(each.task, std::move(each));
    }
  }
}

/// Puts a victim back if its own room is not needed after all: its node and its very devices.
bool Reprieve::stays(PlanJob& job, std::vector<Placed>& placed, PlanJob& of, Task& task,
                     PlacedBefore& before) {
  if (!task.node || task.placed_by_plan()) return false;
  const auto& releasing = overlay_.releasing();
  if (task.shape == nullptr) task.shape = jobs_.shape_of_victim(task);
  if (task.shape->fit.check(releasing, *task.node) != Reason::none) return false;
  Placement placement{.pod = task.pod().key(),
                      .pod_uid = task.pod().meta.uid,
                      .node = context_.input.snapshot->name(*task.node),
                      .claims = {}};
  for (const auto& claim : task.claims) {
    const auto had = context_.input.snapshot->allocation(claim->key());
    if (!had) return false;
    placement.claims.push_back({.claim = claim->key(),
                                .claim_uid = claim->meta.uid,
                                .allocation = *had,
                                .already_allocated = true});
  }
  if (given_back_.are_free(placement)) {
    overlay_.reprieve(of, task, placement);
    return true;
  }
  // Others will do for the job where the node has enough for both.
  const auto& nodes = std::as_const(overlay_).nodes();
  if (nodes.free(*task.node)[nodes.devices_column()] < task.demand->devices) return false;
  std::vector<Placed*> there;
  for (auto& each : placed) {
    if (each.task->node == task.node) there.push_back(&each);
  }
  if (there.empty()) return false;
  if (!before) before = placed;
  return take_others(job, there, of, task, placement);
}

/// The job's pods on the task's node take other devices there, so that the task keeps its own.
bool Reprieve::take_others(PlanJob& job, std::span<Placed* const> placed, PlanJob& of, Task& task,
                           const Placement& keeps) {
  auto& devices = placer_.devices();
  const bool fixed = std::ranges::any_of(placed, [](const Placed* each) {
    return each->task->shape->singular || !each->task->just_placed();
  });
  if (fixed || devices.counts_node_allocatable()) return false;
  const auto mark = overlay_.mark();
  std::vector<const Task*> members;
  std::vector<policy::Amounts> before;
  for (const auto* each : placed) {
    before.push_back(each->task->demand->counts);
    overlay_.evict(job, *each->task);
    overlay_.return_to_waiting(job, *each->task);
    members.push_back(each->task);
  }
  if (!given_back_.are_free(keeps)) {
    overlay_.undo(mark);
    return false;
  }
  overlay_.reprieve(of, task, keeps);
  const bool idle =
      std::ranges::all_of(placed, [](const Placed* each) { return each->room == Room::idle; });
  const auto room = idle ? Room::idle : Room::releasing;
  auto found = devices.choose(overlay_.view(room), members, *task.node);
  std::vector<Kept<PodDemand>::Value> takes;
  for (std::size_t i = 0; found && i < placed.size(); ++i) {
    takes.push_back(jobs_.demand_of(*placed[i]->task, found->placements[i]));
  }
  // Others that count for the same: the job was judged by what it had.
  const bool same =
      std::ranges::equal(takes, before, {}, [](const auto& made) { return made->counts; });
  if (!found || !same) {
    overlay_.undo(mark);
    return false;
  }
  for (std::size_t i = 0; i < placed.size(); ++i) {
    auto& each = *placed[i];
    overlay_.place(job, *each.task, *task.node, found->placements[i], room, takes[i]);
    each.placement = std::move(found->placements[i]);
    each.room = room;
    each.warnings = found->warnings;
  }
  return true;
}

}  // namespace dray::planner
