#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/base/strong.h"
#include "dray/model/meta.h"
#include "dray/model/node.h"
#include "dray/model/node_allocatable.h"

// resource.k8s.io/v1: what drivers publish. Field names and rules: k8s.io/api/resource/v1/types.go.

namespace dray {

/// A version attribute as written; whether it parses is found out when a selector runs.
using VersionText = Strong<std::string, struct VersionTextTag>;

/// One attribute: exactly one of the API's fields; std::monostate where none (or an unknown one) is
/// set, which makes every selector fail on that device, as upstream.
using AttributeValue = std::variant<std::monostate, std::int64_t, bool, std::string, VersionText,
                                    std::vector<std::int64_t>, std::vector<bool>,
                                    std::vector<std::string>, std::vector<VersionText>>;

/// By qualified name as written: `domain/id`, or `id` alone, which is the driver's own.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

/// How a request for part of a capacity is rounded and bounded (consumable capacity, KEP-5075).
struct CapacityRange {
  Quantity min;
  std::optional<Quantity> max;
  std::optional<Quantity> step;

  bool operator==(const CapacityRange&) const = default;
};
/// Which amounts of a capacity may be asked for (KEP-5075); absent bounds do not bound.
struct CapacityRequestPolicy {
  std::optional<Quantity> default_value;
  std::vector<Quantity> valid_values;
  std::optional<CapacityRange> valid_range;

  bool operator==(const CapacityRequestPolicy&) const = default;
};
/// How much a device has of something, and how it may be shared.
struct DeviceCapacity {
  Quantity value;
  std::optional<CapacityRequestPolicy> request_policy;

  bool operator==(const DeviceCapacity&) const = default;
};

/// Counters by name.
using Counters = std::map<std::string, Quantity, std::less<>>;

/// A pool's shared counters (partitionable devices, KEP-4815).
struct CounterSet {
  std::string name;
  Counters counters;

  bool operator==(const CounterSet&) const = default;
};

/// What a device takes from one counter set.
struct CounterConsumption {
  std::string counter_set;
  Counters counters;
  std::vector<std::string> compatibility_groups;

  bool operator==(const CounterConsumption&) const = default;
};

/// Effect is NoSchedule, NoExecute, None or unknown; only the first two keep a device from a pod.
struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;
  std::optional<Time> time_added;

  bool operator==(const DeviceTaint&) const = default;
};

/// Which nodes a slice (or, with perDeviceNodeSelection, a device) belongs to: at most one is set.
struct NodeScope {
  std::optional<NodeName> node_name;
  std::optional<NodeSelector> node_selector;
  bool all_nodes = false;

  bool operator==(const NodeScope&) const = default;
};

/// A device as its slice publishes it.
struct Device {
  DeviceName name;
  Attributes attributes;
  std::map<std::string, DeviceCapacity, std::less<>> capacity;
  std::vector<CounterConsumption> consumes_counters;
  NodeScope scope;  ///< only where the slice says perDeviceNodeSelection
  std::vector<DeviceTaint> taints;
  bool binds_to_node = false;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  bool allow_multiple_allocations = false;
  /// By resource of the node.
  std::map<std::string, NodeAllocatableResource, std::less<>> node_allocatable_resources;

  bool operator==(const Device&) const = default;
};

/// Devices of one pool that its driver publishes together.
struct ResourceSlice {
  ObjectMeta meta;
  DriverName driver;
  PoolName pool;
  std::int64_t pool_generation = 0;
  std::int64_t pool_slice_count = 1;  ///< spec.pool.resourceSliceCount
  NodeScope scope;
  bool per_device_node_selection = false;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
  std::vector<std::string> skip_node_operations;

  bool operator==(const ResourceSlice&) const = default;
};

/// Taints devices from outside; absent fields of the selector match all.
struct DeviceTaintRule {
  ObjectMeta meta;
  bool has_selector = false;
  std::optional<DriverName> driver;
  std::optional<PoolName> pool;
  std::optional<DeviceName> device;
  DeviceTaint taint;

  bool operator==(const DeviceTaintRule&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& rule) {
    io.object("spec", [&](auto& spec) {
      spec.object("deviceSelector", rule.has_selector, [&](auto& selector) {
        selector.field("driver", rule.driver);
        selector.field("pool", rule.pool);
        selector.field("device", rule.device);
      });
      spec.required("taint", rule.taint);
    });
  }
};

}  // namespace dray
