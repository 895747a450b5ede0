#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/cluster/snapshot.h"

namespace dray::dashboard {

/// One device of a node, as published and as used.
struct NodeDevice {
  DeviceId id;
  const cluster::PublishedDevice* published = nullptr;
  cluster::DeviceUse use;
  std::vector<const DeviceTaint*> taints;  ///< its own and those of rules, with any effect but None
  /// In nobody's use, and of a card whose other partitions in use leave too little: one of these.
  const cluster::PublishedDevice* blocked_by = nullptr;
};

/// The devices that slices of this node alone publish in the newest generation of their pool, by
/// driver, pool and slice. They refer to the snapshot.
[[nodiscard]] std::vector<NodeDevice> devices_of(const cluster::Snapshot& snapshot,
                                                 cluster::NodeIndex node);
/// The devices that are of no one node: of a fabric, or of a whole pool of nodes.
[[nodiscard]] std::vector<NodeDevice> shared_devices(const cluster::Snapshot& snapshot);

/// An attribute for people; empty: the device has none of that name.
[[nodiscard]] std::string attribute_of(const NodeDevice& device, std::string_view domain,
                                       std::string_view id);
/// Where the device hangs: its NUMA node by any of the attributes that drivers publish it under,
/// and its PCIe root. Empty: it does not say.
[[nodiscard]] std::string numa_node_of(const NodeDevice& device);
[[nodiscard]] std::string pcie_root_of(const NodeDevice& device);
/// What the device is: its product's name, or its type.
[[nodiscard]] std::string product_of(const NodeDevice& device);

}  // namespace dray::dashboard
