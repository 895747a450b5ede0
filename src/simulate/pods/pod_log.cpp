#include "simulate/pods/pod_log.h"

#include <algorithm>

#include "dray/sim/calm_cluster.h"
#include "dray/sim/kubelet.h"

namespace dray::simulate {
namespace {

bool ends_by_itself(const Pod& pod) {
  return pod.meta.annotations.contains(sim::run_seconds_annotation);
}

}  // namespace

void PodLog::take_place(PodRecord& record, const Pod& pod) {
  record.node = *pod.node_name;
  for (const auto& claim : sim::claims_made_for(pod)) {
    const auto* found = server_.find<ResourceClaim>(pod.meta.namespace_name, claim);
    if (found == nullptr || !found->allocation) continue;
    const auto& devices = found->allocation->devices;
    record.devices.insert(record.devices.end(), devices.begin(), devices.end());
  }
}

void PodLog::runs_already(const Pod& pod) {
  if (pod.node_name && !pod.finished() && ends_by_itself(pod)) {
    others_to_end_.insert(pod.key());
  }
}

void PodLog::saw(const sim::WatchEvent& event, Time now) {
  if (event.kind != Kind::pod || event.object == nullptr) return;
  const auto& pod = std::get<Pod>(*event.object);
  const auto time = std::max(Duration(0), now - origin_);
  const bool gone = event.type == sim::WatchEvent::Type::deleted;
  if (gone || pod.finished()) others_to_end_.erase(pod.key());
  // What ran before the run began is no part of it.
  const bool is_new = event.type == sim::WatchEvent::Type::added;
  if (is_new) places_.emplace(pod.meta.uid, records_.size());
  const auto place = places_.find(pod.meta.uid);
  if (place == places_.end()) return;
  if (is_new) {
    auto& record = records_.emplace_back();
    record.pod = pod.key();
    record.created = time;
    last_ = time;
    ++waiting_;
  }
  auto& record = records_[place->second];
  if (record.ended) return;
  if (pod.node_name && !record.bound) {
    take_place(record, pod);
    record.bound = last_ = time;
    ++bound_;
    --waiting_;
    if (ends_by_itself(pod)) ++to_end_;
  }
  if (!gone && !pod.finished()) return;
  record.ended = last_ = time;
  record.failed = gone && !pod.finished() && pod.node_name == failing_;
  record.evicted = gone && !pod.finished() && !record.failed;
  if (!record.bound) --waiting_;
  if (record.bound && ends_by_itself(pod)) --to_end_;
}

}  // namespace dray::simulate
