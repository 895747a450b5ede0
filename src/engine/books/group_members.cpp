#include "engine/books/group_members.h"

#include "engine/books/group_book.h"

namespace dray::engine {

void GroupMembers::put(const Pod& pod) {
  const auto& uid = pod.meta.uid;
  std::set<Group> groups;
  for (auto& name : GroupBook::group_names(pod)) groups.emplace(pod.meta.namespace_name, name);
  const auto known = groups_.find(uid);
  if (known != groups_.end() && known->second == groups) return;
  erase(uid);
  if (groups.empty()) return;
  for (const auto& group : groups) members_[group].emplace(uid, pod.key());
  groups_.emplace(uid, std::move(groups));
}

void GroupMembers::erase(const Uid& pod) {
  const auto known = groups_.extract(pod);
  if (known.empty()) return;
  for (const auto& group : known.mapped()) {
    const auto members = members_.find(group);
    members->second.erase(pod);
    if (members->second.empty()) members_.erase(members);
  }
}

std::vector<PodKey> GroupMembers::of(const Group& group) const {
  std::vector<PodKey> pods;
  const auto found = members_.find(group);
  if (found == members_.end()) return pods;
  pods.reserve(found->second.size());
  for (const auto& [uid, key] : found->second) pods.push_back(key);
  return pods;
}

}  // namespace dray::engine
