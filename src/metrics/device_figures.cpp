#include "metrics/device_figures.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

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

void count(const PoolAt& at, const cluster::PoolSlot& slot, DeviceFigures& figures, OnNode& node) {
  const auto& devices = slot.slice->devices;
  std::vector<bool> taken(devices.size(), false);
  if (slot.use) {
    for (const auto& [place, use] : *slot.use) {
      if (place >= devices.size() || use.none()) continue;
      taken[place] = true;
      ++(use.dedicated > 0 ? figures.in_use : figures.shared);
      node.used = true;
    }
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (taken[i]) continue;
    if (keeps_off(at, devices[i])) {
      ++figures.tainted;
    } else {
      ++figures.free;
      ++node.free;
    }
  }
}

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

}  // namespace dray::metrics
