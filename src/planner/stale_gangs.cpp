#include "planner/stale_gangs.h"

#include <algorithm>
#include <utility>

#include "dray/base/saturating_time.h"

namespace dray::planner {
namespace {

/// By the minimum that the gang is placed and evicted by: a gang that runs as many of its groups as
/// `minSubGroup` asks for is whole. Members that have succeeded will not come back: such a gang is
/// ending, not broken.
bool runs_below_minimum(const PlanJob& job) {
  if (!job.gang || job.placed == 0 || job.has_minimum()) return false;
  return std::ranges::none_of(job.tasks,
                              [](const auto& task) { return task.pod().phase == "Succeeded"; });
}

Eviction eviction_of(const PlanJob& job) {
  Eviction eviction{.job = job.job->uid,
                    .pods = {},
                    .cause = EvictionCause::stale_gang,
                    .beneficiary = std::nullopt,
                    .moved = {},
                    .detail = job.job->name + " runs below its minimum"};
  for (const auto& task : job.tasks) {
    if (task.state == policy::TaskState::placed && task.member->state == MemberState::placed) {
      eviction.pods.push_back(task.pod().meta.uid);
    }
  }
  return eviction;
}

}  // namespace

StaleGangs find_stale_gangs(const PlanContext& context, const JobTable& jobs) {
  const auto now = context.input.now;
  StaleGangs found;
  Earliest again_at(now);
  for (const auto* job : jobs.all()) {
    if (!runs_below_minimum(*job)) continue;
    const auto grace = job->job->stale_after.value_or(context.policy.config.gangs.stale_after);
    if (grace < Duration{0}) continue;
    const auto since = job->job->stale_since.value_or(now);
    found.stale.push_back({job->job->uid, since});
    if (const auto end = saturating_add(since, grace); end > now) {
      again_at.add(end);
      continue;
    }
    if (auto eviction = eviction_of(*job); !eviction.pods.empty()) {
      found.evictions.push_back(std::move(eviction));
    }
  }
  found.again_at = again_at.get();
  return found;
}

}  // namespace dray::planner
