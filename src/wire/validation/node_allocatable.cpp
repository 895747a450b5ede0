#include <algorithm>
#include <string_view>

#include "wire/validation/context.h"

// Source: validateNodeAllocatableResources of pkg/apis/resource/validation/validation.go of
// Kubernetes 1.37.

namespace dray::wire {
namespace {

class NodeAllocatableChecker {
 public:
  explicit NodeAllocatableChecker(FieldErrors& errors) : errors_(errors) {}

  void run(const Field& device) {
    const auto resources = device.child("nodeAllocatableResources");
    for (const auto& member : resources.members()) {
      const auto each = resources.key(member);
      const std::string_view name = member.key;
      if (name != "cpu" && name != "memory" && !name.starts_with("hugepages-")) {
        errors_.invalid(each, name, "must be a node allocatable resource name");
      }
      const auto mapping = each.child("mapping");
      const auto overhead = each.child("overhead");
      if (!mapping.present() && !overhead.present()) {
        errors_.required(each, "at least one of mapping or overhead must be set");
      }
      if (mapping.present()) this->mapping(mapping, device.child("capacity"));
      if (overhead.present()) this->overhead(overhead);
    }
  }

 private:
  void mapping(const Field& mapping, const Field& capacities) {
    const auto key = mapping.child("capacityKey");
    const auto multiplier = mapping.child("capacityMultiplier");
    const auto per_device = mapping.child("deviceMultiplier");
    if (key.present()) {
      if (key.text().empty()) {
        errors_.invalid(key, "", "capacityKey must not be an empty string");
      } else if (std::ranges::find(capacities.members(), key.text(), &ConfigNode::Member::key) ==
                 capacities.members().end()) {
        errors_.not_found(key, key.text());
      }
      if (!multiplier.present()) {
        errors_.required(multiplier, "capacityMultiplier is required when capacityKey is set");
      } else if (multiplier.quantity().sign() <= 0) {
        errors_.invalid(multiplier, multiplier.quantity().to_string(), "must be positive");
      }
    } else if (multiplier.present()) {
      errors_.required(key, "capacityKey is required when capacityMultiplier is set");
    }
    if (per_device.present() && per_device.quantity().sign() <= 0) {
      errors_.invalid(per_device, per_device.quantity().to_string(), "must be positive");
    }
    if (key.present() == per_device.present()) {
      errors_.invalid(mapping, key.present() ? "{capacityKey, deviceMultiplier}" : "",
                      "must specify exactly one of: `capacityKey`, `deviceMultiplier`");
    }
  }

  void overhead(const Field& overhead) {
    const auto per_pod = overhead.child("perPod");
    const auto per_container = overhead.child("perContainer");
    if (!per_pod.present() && !per_container.present()) {
      return errors_.invalid(overhead, "", "at least one of perPod or perContainer must be set");
    }
    for (const auto* each : {&per_pod, &per_container}) {
      if (each->quantity().sign() < 0) {
        errors_.invalid(*each, each->quantity().to_string(), "must be non-negative");
      }
    }
  }

  FieldErrors& errors_;
};

}  // namespace

void check_node_allocatable(const Field& device, FieldErrors& errors) {
  NodeAllocatableChecker(errors).run(device);
}

}  // namespace dray::wire
