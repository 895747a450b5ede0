#include "engine/protocol/gang_minimum.h"

#include <algorithm>
#include <functional>

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

using IsNew = std::function<bool(const policy::GangTask&)>;

bool has_new(const policy::PodSet& set, const IsNew& is_new) {
  return std::ranges::any_of(set.tasks, is_new);
}

bool has_new(const policy::SubGroup& group, const IsNew& is_new) {
  return std::ranges::any_of(group.pod_sets,
                             [&](const auto& set) { return has_new(set, is_new); }) ||
         std::ranges::any_of(group.sub_groups,
                             [&](const auto& sub) { return has_new(sub, is_new); });
}

bool new_ones_are_whole(const policy::SubGroup& group, const IsNew& is_new) {
  return std::ranges::all_of(
             group.pod_sets,
             [&](const auto& set) { return !has_new(set, is_new) || policy::has_minimum(set); }) &&
         std::ranges::all_of(group.sub_groups, [&](const auto& sub) {
           return !has_new(sub, is_new) ||
                  (policy::has_minimum(sub) && new_ones_are_whole(sub, is_new));
         });
}

}  // namespace

std::vector<Uid> member_uids(const planner::Job& job) {
  std::vector<Uid> uids;
  uids.reserve(job.members.size());
  for (const auto& member : job.members) uids.push_back(member.pod->meta.uid);
  return uids;
}

bool may_run_with(policy::SubGroup gang, const std::vector<Uid>& members,
                  const std::set<Uid>& bound, const std::set<Uid>& there) {
  mark_placed(gang, members, there);
  return policy::has_minimum(gang) && new_ones_are_whole(gang, [&](const policy::GangTask& task) {
           return task.state == policy::TaskState::placed && !bound.contains(members[task.id]);
         });
}

}  // namespace dray::engine
