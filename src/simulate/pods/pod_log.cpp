#include "simulate/pods/pod_log.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dray/sim/calm_cluster.h"
#include "dray/sim/kubelet.h"

namespace dray::simulate {
namespace {

bool ends_by_itself(const Pod& pod) {
  return pod.meta.annotations.contains(sim::run_seconds_annotation);
}

/// What one request of a claim asks for, or got.
DeviceAsk ask_of(const DeviceRequest& request, const std::optional<AllocationResult>& allocation) {
  const auto* spec = request.exactly ? &*request.exactly : nullptr;
  if (spec == nullptr && !request.first_available.empty()) spec = &request.first_available.front();
  DeviceAsk ask;
  if (allocation) {
    for (const auto& device : allocation->devices) {
      for (const auto& sub : request.first_available) {
        if (device.request == request.name + "/" + sub.name) spec = &sub;
      }
      if (device.request == request.name || device.request.starts_with(request.name + "/")) {
        ++ask.count;
      }
    }
  } else if (spec != nullptr && spec->allocation_mode != "All") {
    ask.count = std::max<std::int64_t>(spec->count, 1);
  }
  if (spec != nullptr) ask.name = spec->device_class.get();
  return ask;
}

/// By the claims that are made for the pod, and resources of device plugins.
std::vector<DeviceAsk> asks_of(const Pod& pod, const sim::ApiServer& server) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& name : sim::claims_made_for(pod)) {
    const auto* claim = server.find<ResourceClaim>(pod.meta.namespace_name, name);
    if (claim == nullptr) continue;
    for (const auto& request : claim->spec.requests) {
      const auto ask = ask_of(request, claim->allocation);
      counts[ask.name] += ask.count;
    }
  }
  for (const auto& container : pod.containers) {
    if (pod.extended_resource_claim) break;
    for (const auto& [name, amount] : container.requests) {
      if (name.find('/') != std::string::npos) counts[name] += amount.value();
    }
  }
  std::vector<DeviceAsk> asks;
  for (const auto& [name, count] : counts) {
    if (!name.empty() && count > 0) asks.push_back({name, count});
  }
  return asks;
}

}  // namespace

std::vector<PodRecord> PodLog::take() {
  for (auto& record : records_) {
    if (record.bound || record.ended) continue;
    const auto* pod = server_.find<Pod>(record.pod.namespace_name, record.pod.name);
    if (pod != nullptr) record.asks = asks_of(*pod, server_);
  }
  return std::move(records_);
}

void PodLog::take_place(PodRecord& record, const Pod& pod) {
  record.node = *pod.node_name;
  record.asks = asks_of(pod, server_);
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

PodRecord* PodLog::saw(const sim::WatchEvent& event, Time now) {
  if (event.kind != Kind::pod || event.object == nullptr) return nullptr;
  const auto& pod = std::get<Pod>(*event.object);
  const auto time = std::max(Duration(0), now - origin_);
  const bool gone = event.type == sim::WatchEvent::Type::deleted;
  if (gone || pod.finished()) others_to_end_.erase(pod.key());
  // What ran before the run began is no part of it.
  const bool is_new = event.type == sim::WatchEvent::Type::added;
  if (is_new) places_.emplace(pod.meta.uid, records_.size());
  const auto place = places_.find(pod.meta.uid);
  if (place == places_.end()) return nullptr;
  if (is_new) {
    auto& record = records_.emplace_back();
    record.pod = pod.key();
    record.created = time;
    last_ = time;
    ++waiting_;
  }
  auto& record = records_[place->second];
  if (record.ended) return nullptr;
  const bool binds = pod.node_name && !record.bound;
  if (binds) {
    take_place(record, pod);
    record.bound = last_ = time;
    ++bound_;
    --waiting_;
    if (ends_by_itself(pod)) ++to_end_;
  }
  if (!gone && !pod.finished()) return binds ? &record : nullptr;
  record.ended = last_ = time;
  record.failed = gone && !pod.finished() && pod.node_name == failing_;
  record.evicted = gone && !pod.finished() && !record.failed;
  if (!record.bound) --waiting_;
  if (record.bound && ends_by_itself(pod)) --to_end_;
  return binds ? &record : nullptr;
}

}  // namespace dray::simulate
