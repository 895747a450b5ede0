#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dray/base/quantity.h"

// KEP-5517 (alpha): devices that stand for, or cost, resources of their node such as cpu and
// memory.
namespace dray {

/// How much of a node's resource an allocated device is: so much of the capacity that the
/// allocation consumes, or so much a device.
struct NodeAllocatableMapping {
  std::optional<std::string> capacity_key;
  std::optional<Quantity> capacity_multiplier;
  std::optional<Quantity> device_multiplier;

  bool operator==(const NodeAllocatableMapping&) const = default;
};

/// What a pod that uses the device needs besides.
struct NodeAllocatableOverhead {
  std::optional<Quantity> per_pod;
  std::optional<Quantity> per_container;  ///< for each that refers to the claim

  bool operator==(const NodeAllocatableOverhead&) const = default;
};

/// An entry of device.nodeAllocatableResources.
struct NodeAllocatableResource {
  std::optional<NodeAllocatableMapping> mapping;
  std::optional<NodeAllocatableOverhead> overhead;

  bool operator==(const NodeAllocatableResource&) const = default;
};

/// pod.status.nodeAllocatableResourceClaimStatuses[]: what the devices of one of the pod's claims
/// take of the node.
struct NodeAllocatableClaim {
  /// A node resource that the claim's devices stand for, and how much of it.
  struct Mapped {
    std::string name;  ///< of the resource
    Quantity quantity;

    bool operator==(const Mapped&) const = default;
  };
  /// What their use takes of a node resource on top.
  struct Overhead {
    std::string name;
    NodeAllocatableOverhead amounts;

    bool operator==(const Overhead&) const = default;
  };
  std::string claim;
  std::vector<std::string> containers;  ///< that refer to it
  std::vector<Mapped> mapping;          ///< sorted by name
  std::vector<Overhead> overhead;       ///< sorted by name

  bool operator==(const NodeAllocatableClaim&) const = default;
};

}  // namespace dray
