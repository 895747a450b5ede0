#include "planner/serve_losers.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "dray/policy/capacity.h"
#include "planner/other_jobs.h"

namespace dray::planner {

ServeLosers::ServeLosers(const PlanContext& context, const JobTable& jobs, Overlay& overlay,
                         Placer& placer, Decisions& decisions)
    : jobs_(jobs),
      overlay_(overlay),
      placer_(placer),
      decisions_(decisions),
      order_(overlay.queues(), context.total, context.input.now, context.policy.config.aging, {}) {}

void ServeLosers::run(std::vector<PlanJob*> losers) {
  std::ranges::sort(losers, [this](const PlanJob* a, const PlanJob* b) {
    return order_.before_by_queue(*a, *b);
  });
  losers.erase(std::unique(losers.begin(), losers.end()), losers.end());
  for (auto* job : losers) serve(*job);
}

void ServeLosers::serve(PlanJob& job) {
  const auto* outcome = decisions_.find(job);
  // It has room by now, or grows only.
  if (outcome == nullptr || outcome->reason != Reason::room_kept || job.placed > 0) return;
  const auto chunk = job.next_chunk();
  if (chunk.empty() || !job.reaches_minimum(chunk)) return;
  const auto mark = overlay_.mark();
  std::vector<PlanJob*> without;
  auto placed = place(job, chunk);
  for (auto* other : just_served_after(job)) {
    if (placed) break;
    take_back(*other);
    without.push_back(other);
    placed = place(job, chunk);
  }
  if (!placed) return overlay_.undo(mark);
  decisions_.start(job, *placed, overlay_.queues());
  for (auto* other : without | std::views::reverse) serve_anew(*other, job);
}

/// Of its queue, those that have only just got idle room and come after it, the last first.
std::vector<PlanJob*> ServeLosers::just_served_after(const PlanJob& job) const {
  std::vector<PlanJob*> found;
  for (auto* other : jobs_.all()) {
    const bool after = other->queue == job.queue && order_.before_without_places(job, *other);
    if (!after || other->placed == 0) continue;
    const auto* outcome = decisions_.find(*other);
    if (outcome == nullptr || !outcome->held.empty()) continue;
    const bool open = std::ranges::all_of(other->tasks, [](const Task& task) {
      const bool placed = task.state == policy::TaskState::placed;
      return !placed || (task.just_placed() && task.shape != nullptr && !task.shape->singular);
    });
    if (open) found.push_back(other);
  }
  std::ranges::sort(found, [this](const PlanJob* a, const PlanJob* b) {
    return order_.before_without_places(*b, *a);
  });
  return found;
}

std::optional<std::vector<Placed>> ServeLosers::place(PlanJob& job,
                                                      std::span<const std::uint32_t> chunk) {
  const auto least = job.least_of(chunk, overlay_.queues().resources());
  if (policy::check_capacity(overlay_.queues(), *job.queue, least, job.job->preemptible)) {
    return std::nullopt;
  }
  auto placed = placer_.place(job, chunk, placer_.fit().everywhere(), Room::idle);
  if (!placed) return std::nullopt;
  return *std::move(placed);
}

void ServeLosers::take_back(PlanJob& job) {
  for (auto& task : job.tasks) {
    if (task.state != policy::TaskState::placed) continue;
    overlay_.evict(job, task);
    overlay_.return_to_waiting(job, task);
  }
}

/// What was taken back from the job for `taker` it may find elsewhere.
void ServeLosers::serve_anew(PlanJob& job, const PlanJob& taker) {
  auto& outcome = decisions_.outcome(job);
  outcome.placements.clear();
  outcome.warnings.clear();
  bool any = false;
  for (auto chunk = job.next_chunk(); !chunk.empty(); chunk = job.next_chunk()) {
    const auto placed = place(job, chunk);
    if (!placed) break;
    decisions_.start(job, *placed, overlay_.queues());
    any = true;
  }
  if (any) return;
  decisions_.wait(job, Reason::room_kept, "its room goes to " + job_for(*job.job, *taker.job));
  decisions_.settle(job, overlay_.queues());
}

}  // namespace dray::planner
