#pragma once

#include <cstdint>
#include <string_view>

#include "dashboard/node_devices.h"

namespace dray::app {

/// How a device stands; blocked: it is free, and of a card whose partitions in use leave too
/// little.
enum class DeviceState : std::uint8_t { free, in_use, shared, tainted, blocked };
[[nodiscard]] DeviceState state_of(const dashboard::NodeDevice& device);
/// `in-use`
[[nodiscard]] std::string_view word(DeviceState state);

/// Calls `visit(node name or empty, NodeDevice)` with every device of the newest generation of its
/// pool, by node, then those that are of no one node.
template <class F>
void for_each_device(const cluster::Snapshot& snapshot, F&& visit) {
  for (const auto node : snapshot.nodes_by_name()) {
    for (const auto& device : dashboard::devices_of(snapshot, node)) {
      visit(snapshot.name(node).get(), device);
    }
  }
  for (const auto& device : dashboard::shared_devices(snapshot)) visit(std::string(), device);
}

}  // namespace dray::app
