#include "metrics/device_figures.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dray/cel/selector_memo.h"
#include "dray/cluster/device_taints.h"

namespace dray::metrics {
namespace {

struct OnNode {
  std::size_t free = 0;
  bool used = false;
};
using Nodes = std::unordered_map<std::string_view, OnNode>;

/// A pool of a snapshot, whose rules may taint its devices.
struct PoolAt {
  const cluster::Snapshot& snapshot;
  const cluster::Pool& pool;
};

bool keeps_off(const PoolAt& at, const cluster::PublishedDevice& device) {
  // Where there is neither a taint nor a rule, no id of the device is made.
  if (device.traits->taints.empty() && at.snapshot.taint_rules().empty()) return false;
  const DeviceId id{at.pool.driver, at.pool.name, DeviceName(*device.name)};
  return !cluster::taints_of(at.snapshot, id, *device.traits).empty();
}

/// How a device stands: the figure that counts it.
using State = std::size_t DeviceFigures::*;

/// Of each device of a slice, in its order.
std::vector<State> states_of(const PoolAt& at, const cluster::PoolSlot& slot) {
  const auto& devices = slot.slice->devices;
  std::vector<State> states(devices.size(), nullptr);
  if (slot.use) {
    for (const auto& [place, use] : *slot.use) {
      if (place >= devices.size() || use.none()) continue;
      states[place] = use.dedicated > 0 ? &DeviceFigures::in_use : &DeviceFigures::shared;
    }
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (states[i] != nullptr) continue;
    states[i] = keeps_off(at, devices[i]) ? &DeviceFigures::tainted : &DeviceFigures::free;
  }
  return states;
}

void count(const PoolAt& at, const cluster::PoolSlot& slot, DeviceFigures& figures, OnNode& node) {
  for (const auto state : states_of(at, slot)) {
    ++(figures.*state);
    if (state == &DeviceFigures::free) ++node.free;
    node.used = node.used || state == &DeviceFigures::in_use || state == &DeviceFigures::shared;
  }
}

/// Which classes accept the devices of a slice. Slices of like nodes share a list of devices, so
/// that selectors run once for all of them.
class ClassesOfDevices {
 public:
  explicit ClassesOfDevices(const cluster::Snapshot& snapshot) : classes_(snapshot.classes()) {}

  /// Of each device the places of its classes among the snapshot's.
  const std::vector<std::vector<std::size_t>>& of(const cluster::PublishedDevices& devices) {
    const auto [known, fresh] = by_list_.try_emplace(devices.begin());
    if (!fresh) return known->second;
    for (const auto& device : devices) {
      auto& accepting = known->second.emplace_back();
      for (std::size_t i = 0; i < classes_.size(); ++i) {
        if (accepts(*classes_[i], device)) accepting.push_back(i);
      }
    }
    return known->second;
  }

 private:
  bool accepts(const cluster::CompiledClass& kind, const cluster::PublishedDevice& device) {
    return std::ranges::all_of(kind.selectors, [&](const cluster::CompiledSelector& selector) {
      return selector.program && memo_.match(selector.program, device.shape) == cel::Verdict::yes;
    });
  }

  std::span<const std::shared_ptr<const cluster::CompiledClass>> classes_;
  cel::SelectorMemo memo_;
  std::unordered_map<const cluster::PublishedDevice*, std::vector<std::vector<std::size_t>>>
      by_list_;
};

}  // namespace

std::map<DriverName, DeviceFigures> count_devices(const cluster::Snapshot& snapshot) {
  std::map<DriverName, DeviceFigures> all;
  std::map<DriverName, Nodes> nodes_of;
  snapshot.for_each_pool([&](const cluster::Pool& pool) {
    if (pool.slots.empty()) return;
    auto& figures = all[pool.driver];
    auto& nodes = nodes_of[pool.driver];
    OnNode of_none;  // What several nodes may use is left over on none of them.
    for (const auto& slot : pool.slots) {
      if (slot.slice->generation != pool.generations.back().generation) continue;
      const auto& name = slot.slice->node_name();
      count({snapshot, pool}, slot, figures, name.empty() ? of_none : nodes[name]);
    }
  });
  for (auto& [driver, figures] : all) {
    for (const auto& [name, node] : nodes_of[driver]) {
      if (node.used) figures.free_on_used_nodes += node.free;
      figures.most_free_on_one_node = std::max(figures.most_free_on_one_node, node.free);
    }
  }
  return all;
}

std::map<ClassName, DeviceFigures> count_devices_by_class(const cluster::Snapshot& snapshot) {
  const auto classes = snapshot.classes();
  std::vector<DeviceFigures> figures(classes.size());
  ClassesOfDevices classes_of(snapshot);
  snapshot.for_each_pool([&](const cluster::Pool& pool) {
    for (const auto& slot : pool.slots) {
      if (slot.slice->generation != pool.generations.back().generation) continue;
      const auto states = states_of({snapshot, pool}, slot);
      const auto& accepting = classes_of.of(slot.slice->devices);
      for (std::size_t i = 0; i < states.size(); ++i) {
        for (const auto kind : accepting[i]) ++(figures[kind].*states[i]);
      }
    }
  });
  std::map<ClassName, DeviceFigures> by_name;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    by_name.emplace(ClassName(classes[i]->object->meta.name), figures[i]);
  }
  return by_name;
}

}  // namespace dray::metrics
