#include "simulate/pods/inventory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dray/cluster/state.h"
#include "dray/simulate/cluster.h"
#include "dray/simulate/measures.h"
#include "simulate/jobs/device_kinds.h"

namespace dray::simulate {
namespace {

/// Where none of the usual ones is there.
std::string most_frequent(const cluster::Snapshot& snapshot) {
  std::pair<std::int64_t, std::string> most;
  for (const auto& each : snapshot.classes()) {
    const auto& name = each->object->meta.name;
    const auto count = ClassDevices(snapshot, ClassName(name)).in_all();
    if (count > most.first) most = {count, name};
  }
  for (const auto& name : plugin_resources(snapshot)) {
    const auto count = in_all(snapshot, name);
    if (count > most.first) most = {count, name};
  }
  return most.second;
}

using Interval = std::pair<Duration, Duration>;

/// How long a device was held by somebody.
Duration union_of(std::vector<Interval> intervals) {
  std::ranges::sort(intervals);
  Duration all{0};
  auto until = Duration::min();
  for (const auto& [from, to] : intervals) {
    all += std::max(Duration(0), to - std::max(from, until));
    until = std::max(until, to);
  }
  return all;
}

}  // namespace

Duration measured_until(const PodsRun& run) {
  const bool on = std::ranges::any_of(
      run.pods, [](const PodRecord& pod) { return pod.bound.has_value() && !pod.ended; });
  return on ? std::max(run.span, run.length) : run.span;
}

Result<Inventory> Inventory::of(const std::vector<KubeObject>& cluster, const std::string& gpus,
                                const std::set<DeviceId>& held) {
  cluster::ClusterState state;
  for (const auto& object : cluster) {
    if (std::holds_alternative<Node>(object) || std::holds_alternative<ResourceSlice>(object) ||
        std::holds_alternative<DeviceClass>(object)) {
      state.apply(object);
    }
  }
  Inventory made;
  made.snapshot_ = state.snapshot();
  auto kind = choose_kind(*made.snapshot_, gpus);
  if (!kind && gpus.empty()) {
    const auto other = most_frequent(*made.snapshot_);
    if (!other.empty()) kind = choose_kind(*made.snapshot_, other);
  }
  if (!kind) return std::unexpected(std::move(kind.error()));
  made.gpus_ = *std::move(kind);
  made.find_nodes(held);
  for (const auto& each : made.snapshot_->classes()) made.find_class(each->object->meta.name, held);
  std::ranges::sort(made.classes_, {}, &Class::name);
  return made;
}

void Inventory::find_nodes(const std::set<DeviceId>& held) {
  ClassDevices devices(*snapshot_, gpus_.device_class);
  for (const auto index : snapshot_->nodes_by_name()) {
    const auto& facts = snapshot_->facts(index);
    auto count = facts.allocatable->other(gpus_.node_resource);
    if (!gpus_.device_class.get().empty()) {
      const auto on = devices.on(index);
      for (std::size_t i = 0; i < on.size(); ++i) {
        if (held.contains(on[i])) bits_.emplace(on[i], i);
      }
      count = std::ssize(on);
    }
    const auto* model = facts.label(model_label);
    places_.emplace(facts.name, static_cast<std::uint32_t>(nodes_.size()));
    all_gpus_.push_back(count);
    nodes_.push_back({.name = facts.name.get(),
                      .milli_cpu = facts.allocatable->milli_cpu,
                      .memory_mib = 0,
                      .gpus = static_cast<std::int32_t>(std::min<std::int64_t>(count, most_gpus)),
                      .model = model != nullptr ? *model : "gpu"});
  }
}

void Inventory::find_class(const std::string& name, const std::set<DeviceId>& held) {
  Class made;
  made.name = name;
  ClassDevices devices(*snapshot_, ClassName(name));
  ClassDevices gpus(*snapshot_, gpus_.device_class);
  for (const auto index : snapshot_->nodes_by_name()) {
    const auto on = devices.on(index);
    if (made.devices == 0 && !on.empty()) {
      made.of_gpus = std::ranges::count(gpus.on(index), on.front()) > 0;
    }
    made.devices += on.size();
    std::ranges::copy_if(on, std::inserter(made.held, made.held.end()),
                         [&](const DeviceId& device) { return held.contains(device); });
  }
  if (made.devices > 0) classes_.push_back(std::move(made));
}

std::optional<std::uint32_t> Inventory::place_of(const NodeName& node) const {
  const auto place = places_.find(node);
  return place == places_.end() ? std::nullopt : std::optional(place->second);
}

/// Also those of a class of some of the GPUs alone.
bool Inventory::are_gpus(const DeviceAsk& ask) const {
  if (gpus_.device_class.get().empty()) return ask.name == gpus_.node_resource;
  if (ask.name == gpus_.device_class.get()) return true;
  const auto known = std::ranges::find(classes_, ask.name, &Class::name);
  return known != classes_.end() && known->of_gpus;
}

std::int64_t Inventory::gpus_of(const PodRecord& pod) const {
  if (!pod.devices.empty() && !gpus_.device_class.get().empty()) {
    return std::ranges::count_if(pod.devices,
                                 [this](const auto& each) { return bits_.contains(each.device); });
  }
  std::int64_t count = 0;
  for (const auto& ask : pod.asks) count += are_gpus(ask) ? ask.count : 0;
  return count;
}

std::uint32_t Inventory::bits_of(const PodRecord& pod) const {
  std::uint32_t bits = 0;
  for (const auto& each : pod.devices) {
    const auto place = bits_.find(each.device);
    if (place == bits_.end()) continue;
    if (place->second >= most_gpus) return 0;
    bits |= 1U << place->second;
  }
  return bits;
}

std::vector<ClassUse> Inventory::use_of(const PodsRun& run) const {
  std::map<DeviceId, std::vector<Interval>> held;
  std::map<std::string, double> of_resource;
  const auto end = measured_until(run);
  for (const auto& pod : run.pods) {
    if (!pod.bound) continue;
    const Interval interval{*pod.bound, pod.ended.value_or(end)};
    for (const auto& each : pod.devices) held[each.device].push_back(interval);
    for (const auto& ask : pod.asks) {
      of_resource[ask.name] +=
          static_cast<double>(ask.count) * in_seconds(interval.second - interval.first);
    }
  }
  std::map<DeviceId, double> seconds;
  for (const auto& [device, intervals] : held) seconds[device] = in_seconds(union_of(intervals));
  std::vector<ClassUse> uses;
  for (const auto& each : classes_) {
    auto& use = uses.emplace_back(each.name, static_cast<double>(each.devices), 0.0);
    for (const auto& [device, time] : seconds) use.used += each.held.contains(device) ? time : 0;
  }
  for (const auto& name : plugin_resources(*snapshot_)) {
    uses.push_back({name, static_cast<double>(in_all(*snapshot_, name)), of_resource[name]});
  }
  return uses;
}

}  // namespace dray::simulate
