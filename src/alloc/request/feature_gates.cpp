#include "dray/alloc/feature_gates.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace dray::alloc {
namespace {

/// Those that change nothing that dray decides, or that it goes by the objects themselves for:
/// rules that taint, extended resources, groups' claims, a driver's report on its devices. How
/// fractions of a capacity are compared is the scheduler's matter alone (and an API server 1.37
/// that may be rolled back to 1.36, as by default, has that off).
constexpr std::array<std::string_view, 9> of_no_matter{
    "DRADeviceTaintRules",          "DRAExtendedResource",
    "DRAFractionalCapacityRange",   "DRAPartitionableDevicesType",
    "DRAResourceClaimDeviceStatus", "DRAResourceClaimGranularStatusAuthorization",
    "DRAResourcePoolStatus",        "DRASchedulerFilterTimeout",
    "DRAWorkloadResourceClaims",
};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_on(Features features, std::string_view gate) {
  // The one that a switch does not change is as it was set.
  const auto before = features;
  return features.set_gate(gate, true) && features == before;
}

}  // namespace

std::span<const std::string_view> feature_gate_names() {
  static constexpr std::array<std::string_view, 11> names{
      "DRAAdminAccess",
      "DRAConsumableCapacity",
      "DRADerivedAttributes",
      "DRADeviceBindingConditions",
      "DRADeviceCompatibilityGroups",
      "DRADeviceTaints",
      "DRAListTypeAttributes",
      "DRANodeAllocatableResources",
      "DRAOptionalNodeOperations",
      "DRAPartitionableDevices",
      "DRAPrioritizedList",
  };
  return names;
}

std::string GateDifference::to_string() const {
  if (!known)
    return fmt::format("{} is on in the API server, and this dray does not know it", gate);
  return fmt::format("{0} is {1} in the API server and {2} here: --feature-gates {0}={3}", gate,
                     on_in_cluster ? "on" : "off", on_in_cluster ? "off" : "on", on_in_cluster);
}

std::vector<GateDifference> gate_differences(const FeatureGates& cluster, const Features& ours) {
  std::vector<GateDifference> found;
  const auto names = feature_gate_names();
  for (const auto name : names) {
    const auto theirs = cluster.find(name);
    const bool on = theirs == cluster.end() ? is_on({}, name) : theirs->second;
    if (on != is_on(ours, name)) found.push_back({std::string(name), on, true});
  }
  for (const auto& [gate, on] : cluster) {
    const bool new_to_us =
        gate.starts_with("DRA") && !contains(names, gate) && !contains(of_no_matter, gate);
    if (on && new_to_us) found.push_back({gate, true, false});
  }
  std::ranges::sort(found, {}, &GateDifference::gate);
  return found;
}

}  // namespace dray::alloc
