#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dray::alloc {

/// Upstream's structured.Features: what the allocator may use. Default-made: a default Kubernetes
/// 1.37 cluster.
struct Features {
  bool admin_access = true;
  bool prioritized_list = true;
  bool partitionable_devices = true;
  bool device_taints = true;
  bool device_binding_and_status = true;
  bool consumable_capacity = true;
  bool fractional_capacity_range = true;
  bool list_type_attributes = false;
  bool optional_node_operations = false;
  bool derived_attributes = false;
  bool compatibility_groups = false;
  /// Not the allocator's but the scheduler plugin's: what devices take of the node's own resources
  /// (KEP-5517) counts against the node.
  bool node_allocatable_resources = false;

  /// Whether upstream would take its experimental implementation: only that knows these. The others
  /// do not even look at a slice's skipNodeOperations.
  [[nodiscard]] bool experimental() const {
    return list_type_attributes || optional_node_operations || derived_attributes ||
           compatibility_groups;
  }

  /// `none`, `ga`, `default` (of 1.37), `all`.
  [[nodiscard]] static std::optional<Features> preset(std::string_view name);
  /// Sets a switch by upstream's name (`PartitionableDevices`); false if there is no such switch.
  [[nodiscard]] bool set(std::string_view name, bool on);
  /// Sets a switch by the feature gate of Kubernetes that drives it (`DRAPartitionableDevices`);
  /// false if none is driven by it.
  [[nodiscard]] bool set_gate(std::string_view gate, bool on);

  bool operator==(const Features&) const = default;
};

/// Which patch release of the structured allocator to be like.
enum class Compatibility : std::uint8_t { v0_37_0, v0_37_2 };

}  // namespace dray::alloc
