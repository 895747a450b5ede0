#include "engine/protocol/gang_minimum.h"

namespace dray::engine {
namespace {

void mark_placed(policy::SubGroup& group, const std::vector<Uid>& members,
                 const std::set<Uid>& there) {
  for (auto& set : group.pod_sets) {
    for (auto& task : set.tasks) {
      task.state =
          there.contains(members[task.id]) ? policy::TaskState::placed : policy::TaskState::pending;
    }
  }
  for (auto& sub : group.sub_groups) mark_placed(sub, members, there);
}

}  // namespace

std::vector<Uid> member_uids(const planner::Job& job) {
  std::vector<Uid> uids;
  uids.reserve(job.members.size());
  for (const auto& member : job.members) uids.push_back(member.pod->meta.uid);
  return uids;
}

bool has_minimum_of(policy::SubGroup gang, const std::vector<Uid>& members,
                    const std::set<Uid>& there) {
  mark_placed(gang, members, there);
  return policy::has_minimum(gang);
}

}  // namespace dray::engine
