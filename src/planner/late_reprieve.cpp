#include "planner/late_reprieve.h"

#include <algorithm>
#include <set>

namespace dray::planner {
namespace {

/// Its members that are evicted and have no other room; none if one of them goes with pods of other
/// jobs that share its claims.
std::vector<Task*> evicted(PlanJob& job) {
  std::vector<Task*> tasks;
  for (auto& task : job.tasks) {
    if (task.has_to_leave()) tasks.push_back(&task);
  }
  if (std::ranges::any_of(tasks, &Task::with_sharers)) tasks.clear();
  return tasks;
}

}  // namespace

LateReprieve::LateReprieve(const PlanContext& context, JobTable& jobs, Overlay& overlay,
                           Placer& placer, Decisions& decisions)
    : jobs_(jobs),
      overlay_(overlay),
      decisions_(decisions),
      reprieve_(context, jobs, overlay, placer),
      order_(overlay.queues(), context.total, context.input.now, context.policy.config.aging, {}) {}

void LateReprieve::run(std::vector<Eviction>& evictions) {
  // Of one job's victims all are needed: each was asked when they were found.
  const bool one_job = std::ranges::all_of(evictions, [&](const Eviction& eviction) {
    return eviction.beneficiary == evictions.front().beneficiary;
  });
  if (one_job) return;
  for (auto* job : victims(evictions)) {
    auto tasks = evicted(*job);
    // What is left of a gang is none; what is above its minimum stays pod by pod.
    if (job->placed == 0 || !job->has_minimum()) {
      stay(*job, tasks, evictions);
      continue;
    }
    for (auto* task : tasks) stay(*job, std::span(&task, 1), evictions);
  }
  std::erase_if(evictions, [](const Eviction& eviction) { return eviction.pods.empty(); });
}

/// Queue by queue, in their order if none had given anything.
std::vector<PlanJob*> LateReprieve::victims(std::span<const Eviction> evictions) const {
  std::set<PlanJob*> seen;
  std::vector<PlanJob*> found;
  for (const auto& eviction : evictions) {
    auto* job = jobs_.find(eviction.job);
    if (seen.insert(job).second) found.push_back(job);
  }
  std::ranges::sort(
      found, [this](const PlanJob* a, const PlanJob* b) { return order_.before_by_queue(*a, *b); });
  return found;
}

void LateReprieve::stay(PlanJob& job, std::span<Task* const> tasks,
                        std::vector<Eviction>& evictions) {
  if (tasks.empty() || !reprieve_.stay(job, tasks)) return;
  for (auto& eviction : evictions) {
    std::erase_if(eviction.pods, [&](const Uid& pod) {
      return std::ranges::any_of(tasks,
                                 [&](const Task* task) { return task->pod().meta.uid == pod; });
    });
  }
  decisions_.settle(job, overlay_.queues());
}

}  // namespace dray::planner
