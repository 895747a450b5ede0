#include "dray/alloc/features.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dray::alloc {
namespace {

constexpr std::array<std::pair<std::string_view, bool Features::*>, 11> switches{{
    {"AdminAccess", &Features::admin_access},
    {"PrioritizedList", &Features::prioritized_list},
    {"PartitionableDevices", &Features::partitionable_devices},
    {"DeviceTaints", &Features::device_taints},
    {"DeviceBindingAndStatus", &Features::device_binding_and_status},
    {"ConsumableCapacity", &Features::consumable_capacity},
    {"FractionalCapacityRange", &Features::fractional_capacity_range},
    {"ListTypeAttributes", &Features::list_type_attributes},
    {"OptionalNodeOperations", &Features::optional_node_operations},
    {"DerivedAttributes", &Features::derived_attributes},
    {"CompatibilityGroups", &Features::compatibility_groups},
}};

}  // namespace

std::optional<Features> Features::preset(std::string_view name) {
  Features features;
  if (name == "default") return features;
  const bool all = name == "all";
  if (!all && name != "none" && name != "ga") return std::nullopt;
  for (const auto& [unused, field] : switches) features.*field = all;
  if (name == "ga") {
    features.admin_access = true;
    features.prioritized_list = true;
    features.device_taints = true;
  }
  return features;
}

bool Features::set(std::string_view name, bool on) {
  const auto* at = std::ranges::find(switches, name, [](const auto& each) { return each.first; });
  if (at == switches.end()) return false;
  this->*(at->second) = on;
  return true;
}

bool Features::set_gate(std::string_view gate, bool on) {
  if (gate == "DRADeviceBindingConditions") return set("DeviceBindingAndStatus", on);
  if (gate == "DRANodeAllocatableResources") {
    node_allocatable_resources = on;
    return true;
  }
  if (gate == "DRADeviceCompatibilityGroups") return set("CompatibilityGroups", on);
  constexpr std::string_view prefix = "DRA";
  if (!gate.starts_with(prefix)) return false;
  gate.remove_prefix(prefix.size());
  return gate != "DeviceBindingAndStatus" && gate != "CompatibilityGroups" && set(gate, on);
}

}  // namespace dray::alloc
