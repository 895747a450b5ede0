#include "dashboard/picture.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "dray/cluster/snapshot.h"

namespace dray::dashboard {

const std::vector<std::string>& Picture::namespaces() const {
  if (namespaces_) return *namespaces_;
  std::set<std::string_view> found;
  for (const auto& held : owners().claims()) found.insert(held.claim->meta.namespace_name);
  for (const auto& row : jobs) {
    for (const auto& member : row.job->members) found.insert(member.pod->meta.namespace_name);
  }
  for (const auto& pod : unformed) found.insert(pod.pod.namespace_name);
  namespaces_ = std::make_unique<const std::vector<std::string>>(found.begin(), found.end());
  return *namespaces_;
}

bool Picture::shows_the_same(const Picture& other) const {
  const auto same_row = [](const auto& a, const auto& b) {
    return a.job == b.job && a.reason == b.reason && a.detail == b.detail;
  };
  const auto same_pod = [](const auto& a, const auto& b) {
    return a.pod == b.pod && a.reason == b.reason && a.detail == b.detail;
  };
  const auto& [now, then] = std::tie(engine.status, other.engine.status);
  return engine.snapshot->generation() == other.engine.snapshot->generation() &&
         engine.policy == other.engine.policy && now.synced == then.synced &&
         now.leading == then.leading && now.queues == then.queues &&
         now.binds_done == then.binds_done && now.evictions == then.evictions &&
         now.policy_problem == then.policy_problem &&
         std::ranges::equal(jobs, other.jobs, same_row) &&
         std::ranges::equal(unformed, other.unformed, same_pod);
}

std::size_t waiting_members(const planner::Job& job) {
  return static_cast<std::size_t>(
      std::ranges::count_if(job.members, planner::is_unplaced, &planner::Member::state));
}

}  // namespace dray::dashboard
