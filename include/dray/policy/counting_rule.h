#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/model/ids.h"
#include "dray/policy/keys.h"

namespace dray::policy {

/// What one device counts for. Exactly one of `device_class` and `node_resource` is set.
struct CountingRule {
  ClassName device_class;
  std::string node_resource;  ///< of a device plugin: nvidia.com/gpu
  Quantity amount{1};         ///< a whole device
  std::string capacity;       ///< where set: the device's capacity of this name, or the part that a
                              ///< claim consumes of it, divided by `per`
  std::optional<Quantity> per;

  bool operator==(const CountingRule&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& rule) {
    io.key("deviceClass", rule.device_class, "The DeviceClass whose devices count.");
    io.key("nodeResource", rule.node_resource,
           "The device plugin's resource that counts, as nvidia.com/gpu.");
    io.key("amount", rule.amount, above(0), "What a whole device counts for.");
    io.key("capacity", rule.capacity,
           "Count by this capacity of the device, or by what a claim consumes of it.");
    io.key("per", rule.per, above(0), "With capacity: how much of it counts as 1.");
  }
};

/// A resource that devices count for; a device counts once, by the first rule that matches.
struct CountedResource {
  std::string name;
  std::vector<CountingRule> rules;

  bool operator==(const CountedResource&) const = default;
};

}  // namespace dray::policy
