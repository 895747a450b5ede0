#include "simulate/pods/job_turns.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "dray/sim/owned_pods.h"

namespace dray::simulate {
namespace {

/// Nothing: the pod does not say how many of its Job are there at a time.
std::optional<JobName> job_of(const Pod& pod) {
  if (!pod.meta.annotations.contains(sim::at_once_annotation)) return std::nullopt;
  const auto owner = std::ranges::find(pod.meta.owners, true, &OwnerReference::controller);
  if (owner == pod.meta.owners.end()) return std::nullopt;
  return JobName(pod.meta.namespace_name, owner->name);
}

}  // namespace

bool JobTurns::is_later(const Pod& pod) {
  const auto job = job_of(pod);
  if (!job) return false;
  const auto& at_once = pod.meta.annotations.find(sim::at_once_annotation)->second;
  return seen_[*job]++ >= std::strtoull(at_once.c_str(), nullptr, 10);
}

void LaterPods::add(const PodWorkload::Arrival& arrival) {
  const auto job = job_of(arrival.pod);
  if (!job) return;
  waiting_[*job].push_back(&arrival);
  ++count_;
}

const PodWorkload::Arrival* LaterPods::next_after(const sim::WatchEvent& event) {
  if (count_ == 0 || event.kind != Kind::pod || event.object == nullptr) return nullptr;
  const auto& pod = std::get<Pod>(*event.object);
  const bool gone = event.type == sim::WatchEvent::Type::deleted;
  const auto job = gone || pod.finished() ? job_of(pod) : std::nullopt;
  const auto waiting = job ? waiting_.find(*job) : waiting_.end();
  if (waiting == waiting_.end() || waiting->second.empty()) return nullptr;
  if (!ended_.insert(pod.meta.uid).second) return nullptr;
  const auto* next = waiting->second.front();
  waiting->second.pop_front();
  --count_;
  return next;
}

}  // namespace dray::simulate
