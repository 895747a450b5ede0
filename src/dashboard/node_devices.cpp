#include "dashboard/node_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dray/cluster/counters_left.h"
#include "dray/cluster/device_taints.h"

namespace dray::dashboard {
namespace {

using cluster::Pool;
using cluster::PoolSlot;

void add_slot(const cluster::Snapshot& snapshot, const Pool& pool,
              const cluster::CountersLeft& left, const PoolSlot& slot,
              std::vector<NodeDevice>& into) {
  const bool newest =
      pool.generations.empty() || slot.slice->generation == pool.generations.back().generation;
  if (!newest) return;
  for (std::size_t i = 0; i < slot.slice->devices.size(); ++i) {
    const auto& published = slot.slice->devices[i];
    auto& device = into.emplace_back();
    device.id = {pool.driver, pool.name, DeviceName(*published.name)};
    device.published = &published;
    device.taints = cluster::taints_of(snapshot, device.id, *published.traits);
    if (slot.use) {
      const auto at =
          std::ranges::lower_bound(*slot.use, static_cast<std::uint32_t>(i), {},
                                   &std::pair<std::uint32_t, cluster::DeviceUse>::first);
      if (at != slot.use->end() && at->first == i) device.use = at->second;
    }
    if (device.use.none()) device.blocked_by = left.blocker(published);
  }
}

void sort_by_pool(std::vector<NodeDevice>& devices) {
  std::ranges::stable_sort(devices, [](const NodeDevice& a, const NodeDevice& b) {
    return std::tie(a.id.driver, a.id.pool) < std::tie(b.id.driver, b.id.pool);
  });
}

std::string text_of(const cel::Value& value) {
  switch (value.kind) {
    case cel::Kind::string:
      return {value.chars, value.size};
    case cel::Kind::int64:
      return fmt::format("{}", value.int64);
    case cel::Kind::boolean:
      return value.boolean ? "true" : "false";
    default:
      return {};
  }
}

}  // namespace

std::vector<NodeDevice> devices_of(const cluster::Snapshot& snapshot, cluster::NodeIndex node) {
  std::vector<NodeDevice> devices;
  const auto& name = snapshot.name(node).get();
  for (const auto index : snapshot.entry(node).pools) {
    const auto& pool = snapshot.pool(index);
    const auto [first, last] = pool.of_node(name);
    const cluster::CountersLeft left(pool);
    for (auto at = first; at < last; ++at) add_slot(snapshot, pool, left, pool.slots[at], devices);
  }
  sort_by_pool(devices);
  return devices;
}

std::vector<NodeDevice> shared_devices(const cluster::Snapshot& snapshot) {
  std::vector<NodeDevice> devices;
  for (const auto index : snapshot.shared_pools()) {
    const auto& pool = snapshot.pool(index);
    const cluster::CountersLeft left(pool);
    for (const auto& slot : pool.slots) {
      if (slot.slice->node_name().empty()) add_slot(snapshot, pool, left, slot, devices);
    }
  }
  sort_by_pool(devices);
  return devices;
}

std::string attribute_of(const NodeDevice& device, std::string_view domain, std::string_view id) {
  const auto& shape = *device.published->shape;
  const int column = shape.names().find(cel::Half::attribute, domain, id);
  return column < 0 ? std::string() : text_of(shape.at(column).value);
}

std::string numa_node_of(const NodeDevice& device) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> known{
      {{"resource.kubernetes.io", "numaNode"}, {"dra.net", "numaNode"}, {"dra.cpu", "numaNodeID"}}};
  for (const auto& [domain, id] : known) {
    if (auto text = attribute_of(device, domain, id); !text.empty()) return text;
  }
  return attribute_of(device, device.id.driver.get(), "numaNode");
}

std::string pcie_root_of(const NodeDevice& device) {
  return attribute_of(device, "resource.kubernetes.io", "pcieRoot");
}

std::string product_of(const NodeDevice& device) {
  for (const auto id : {"productName", "model", "pciDevice", "type"}) {
    if (auto text = attribute_of(device, device.id.driver.get(), id); !text.empty()) return text;
  }
  return {};
}

}  // namespace dray::dashboard
