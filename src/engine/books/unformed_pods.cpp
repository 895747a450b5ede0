#include "engine/books/unformed_pods.h"

#include <utility>

namespace dray::engine {

void UnformedPods::put(const JobKey& key, const std::set<Uid>& pods, const planner::NotReady& why) {
  const auto at = groups_.try_emplace(key).first;
  auto& group = at->second;
  group.why = why;
  // Who came or went since was told one by one.
  if (group.pods.size() == pods.size()) return;
  for (const auto& pod : group.pods) by_pod_.erase(pod);
  group.pods = pods;
  for (const auto& pod : pods) by_pod_[pod] = &at->first;
}

void UnformedPods::add(const JobKey& key, const Uid& pod) {
  const auto group = groups_.find(key);
  if (group == groups_.end()) return;
  group->second.pods.insert(pod);
  by_pod_[pod] = &group->first;
}

void UnformedPods::erase(const JobKey& key) {
  const auto group = groups_.find(key);
  if (group == groups_.end()) return;
  for (const auto& pod : group->second.pods) by_pod_.erase(pod);
  groups_.erase(group);
}

void UnformedPods::erase(const Uid& pod) {
  const auto known = by_pod_.find(pod);
  if (known == by_pod_.end()) return;
  const auto group = groups_.find(*known->second);
  group->second.pods.erase(pod);
  by_pod_.erase(known);
  if (group->second.pods.empty()) groups_.erase(group);
}

const planner::NotReady* UnformedPods::find(const Uid& pod) const {
  const auto known = by_pod_.find(pod);
  return known == by_pod_.end() ? nullptr : &groups_.at(*known->second).why;
}

std::vector<UnformedPods::Lacks> UnformedPods::after(const std::optional<Uid>& last,
                                                     std::size_t at_most) const {
  std::vector<Lacks> found;
  auto at = last ? by_pod_.upper_bound(*last) : by_pod_.begin();
  for (; at != by_pod_.end() && found.size() < at_most; ++at) {
    found.emplace_back(at->first, groups_.at(*at->second).why);
  }
  return found;
}

void UnformedPods::begin_telling(Time now) {
  if (telling_since_) {
    once_more_ = true;
    return;
  }
  if (!groups_.empty()) telling_since_ = now;
  told_ = {};
}

void UnformedPods::end_telling() {
  telling_since_.reset();
  once_more_ = false;
}

std::vector<UnformedPods::Lacks> UnformedPods::take_told(std::size_t at_most) {
  std::vector<Lacks> found;
  if (!telling_since_) return found;
  for (auto group = groups_.lower_bound(told_.first); group != groups_.end(); ++group) {
    const auto& [key, lacks] = *group;
    const bool begun = key == told_.first;
    auto pod = begun ? lacks.pods.upper_bound(told_.second) : lacks.pods.begin();
    for (; pod != lacks.pods.end(); ++pod) {
      if (found.size() == at_most) return found;
      found.emplace_back(*pod, lacks.why);
      told_ = {key, *pod};
    }
  }
  const auto since = *std::exchange(telling_since_, std::nullopt);
  if (std::exchange(once_more_, false)) begin_telling(since);
  return found;
}

}  // namespace dray::engine
