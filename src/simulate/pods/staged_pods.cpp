#include "simulate/pods/staged_pods.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "dray/sim/owned_pods.h"

namespace dray::simulate {
namespace {

std::string annotation_of(const Pod& pod, const char* key) {
  const auto found = pod.meta.annotations.find(key);
  return found == pod.meta.annotations.end() ? "" : found->second;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

}  // namespace

bool StagedPods::is_staged(const Pod& pod) {
  return pod.meta.annotations.contains(sim::after_annotation);
}

StagedPods::State StagedPods::state_of(const Pod& pod) {
  if (pod.phase == "Succeeded") return State::complete;
  const auto ready = std::ranges::find(pod.conditions, "Ready", &Condition::type);
  if (ready != pod.conditions.end() && ready->status == "True") return State::ready;
  return pod.node_name ? State::scheduled : State::created;
}

std::vector<StagedPods::Need> StagedPods::needs_of(const std::string& after) {
  std::vector<Need> needs;
  for (const auto& part : split_at(after, ';')) {
    const auto words = split_at(part, ' ');
    if (words.size() != 3) continue;
    const auto state = words[1] == "scheduled" ? State::scheduled
                       : words[1] == "ready"   ? State::ready
                                               : State::complete;
    needs.push_back({words[0], state, std::strtoull(words[2].c_str(), nullptr, 10)});
  }
  return needs;
}

void StagedPods::add(const PodWorkload::Arrival& arrival) {
  const auto after = annotation_of(arrival.pod, sim::after_annotation);
  auto [place, added] = stages_.try_emplace(after);
  if (added) {
    place->second.needs = needs_of(after);
    for (const auto& need : place->second.needs) waiting_[need.step].insert(after);
  }
  place->second.pods.push_back(&arrival);
  ++count_;
}

bool StagedPods::is_met(const Need& need) const {
  const auto step = steps_.find(need.step);
  if (step == steps_.end()) return need.pods == 0;
  const auto far = std::ranges::count_if(step->second,
                                         [&](const auto& pod) { return pod.second >= need.state; });
  return static_cast<std::size_t>(far) >= need.pods;
}

std::vector<const PodWorkload::Arrival*> StagedPods::next_after(const sim::WatchEvent& event) {
  std::vector<const PodWorkload::Arrival*> next;
  if (count_ == 0 || event.kind != Kind::pod || event.object == nullptr) return next;
  const auto& pod = std::get<Pod>(*event.object);
  std::set<std::string> affected;
  for (const auto& name : split_at(annotation_of(pod, sim::step_annotation), ' ')) {
    const auto stages = waiting_.find(name);
    if (stages == waiting_.end()) continue;
    affected.insert(stages->second.begin(), stages->second.end());
    const auto state = state_of(pod);
    auto& pods = steps_[name];
    if (event.type == sim::WatchEvent::Type::deleted && state != State::complete) {
      pods.erase(pod.meta.uid);
    } else {
      pods[pod.meta.uid] = state;
    }
  }
  for (const auto& name : affected) {
    const auto stage = stages_.find(name);
    if (stage == stages_.end()) continue;
    const bool begins =
        std::ranges::all_of(stage->second.needs, [&](const Need& need) { return is_met(need); });
    if (!begins) continue;
    next.insert(next.end(), stage->second.pods.begin(), stage->second.pods.end());
    count_ -= stage->second.pods.size();
    for (const auto& need : stage->second.needs) {
      auto& others = waiting_[need.step];
      others.erase(name);
      if (others.empty()) waiting_.erase(need.step);
    }
    stages_.erase(stage);
  }
  return next;
}

}  // namespace dray::simulate
