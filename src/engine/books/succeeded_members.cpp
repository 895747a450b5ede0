#include "engine/books/succeeded_members.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "engine/books/group_pods.h"

namespace dray::engine {
namespace {

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree of the group
void leave_out(policy::SubGroup& group, const planner::Job& job,
               const std::set<std::string>& runs) {
  for (auto& set : group.pod_sets) {
    const auto succeeded = std::ranges::count_if(set.tasks, [&](const policy::GangTask& task) {
      const auto& pod = *job.members[task.id].pod;
      return has_succeeded(pod) && runs.contains(run_of(pod));
    });
    set.min_member = std::max(set.min_member - static_cast<std::int32_t>(succeeded), 0);
  }
  for (auto& sub : group.sub_groups) leave_out(sub, job, runs);
}

}  // namespace

void leave_out_succeeded(planner::Job& job) {
  const auto succeeded = [](const planner::Member& member) { return has_succeeded(*member.pod); };
  if (std::ranges::none_of(job.members, succeeded)) return;
  std::set<std::string> runs;
  for (const auto& member : job.members) {
    if (member.state != planner::MemberState::done) runs.insert(run_of(*member.pod));
  }
  leave_out(job.gang, job, runs);
}

}  // namespace dray::engine
