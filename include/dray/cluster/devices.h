#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dray/cel/device_shape.h"
#include "dray/cluster/node_match.h"
#include "dray/model/device.h"

namespace dray::cluster {

/// A pool's place in ClusterState and its snapshots; dense, the same as long as the pool has a
/// slice.
using PoolIndex = Strong<std::uint32_t, struct PoolIndexTag>;

/// Where a slice or a device may be used, with the selector ready to be matched.
struct CompiledScope {
  NodeScope scope;
  std::optional<NodeMatcher> matcher;  ///< of scope.node_selector, if that parses
  std::string matcher_error;           ///< else why not

  /// Upstream's NodeMatches; an Error for a selector that does not parse.
  [[nodiscard]] Result<bool> matches(const NodeFacts& node) const;
};

/// What a device carries beside its attributes; devices with equal traits share one. Immutable.
struct DeviceTraits {
  std::map<std::string, DeviceCapacity, std::less<>> capacity;
  std::vector<CounterConsumption> consumes_counters;
  std::vector<DeviceTaint> taints;  ///< as published; DeviceTaintRules come on top
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::optional<CompiledScope> scope;  ///< where the slice says perDeviceNodeSelection
  bool has_binding_conditions = false;
  bool binds_to_node = false;
  bool allow_multiple_allocations = false;
  /// The attributes as published, only where the shape does not tell them exactly (one of them
  /// cannot be converted, or both `x` and `driver/x` are there).
  std::optional<Attributes> attributes;
  std::map<std::string, NodeAllocatableResource, std::less<>> node_allocatable;
};

/// One device as published: a few words.
struct PublishedDevice {
  std::shared_ptr<const std::string> name;
  cel::DeviceShapeHandle shape;
  std::shared_ptr<const DeviceTraits> traits;  ///< never null
};

/// The devices of a slice in its order. Immutable; slices whose devices are alike, as those of like
/// nodes are, share one list, so a place in it says nothing of whose device it is.
class PublishedDevices {
 public:
  /// None.
  PublishedDevices() = default;
  /// `devices` is not null.
  explicit PublishedDevices(std::shared_ptr<const std::vector<PublishedDevice>> devices)
      : devices_(std::move(devices)) {}

  /// How many there are.
  [[nodiscard]] std::size_t size() const { return devices_ ? devices_->size() : 0; }
  /// The devices, one after another in memory.
  [[nodiscard]] const PublishedDevice* begin() const {
    return devices_ ? devices_->data() : nullptr;
  }
  [[nodiscard]] const PublishedDevice* end() const { return begin() + size(); }
  /// One of them; `i` is below size().
  [[nodiscard]] const PublishedDevice& operator[](std::size_t i) const { return (*devices_)[i]; }

 private:
  std::shared_ptr<const std::vector<PublishedDevice>> devices_;
};

/// A ResourceSlice as dray keeps it. Immutable.
struct PublishedSlice {
  std::string name;
  std::int64_t generation = 0;
  std::int64_t pool_slice_count = 1;
  CompiledScope scope;
  bool per_device = false;
  bool uses_compatibility_groups = false;
  bool uses_counters = false;  ///< has counter sets, or devices that consume counters
  PublishedDevices devices;
  std::vector<CounterSet> shared_counters;
  std::vector<std::string> skip_node_operations;
  /// Slices of one class are the same to every request that reads no attribute of
  /// Snapshot::unclassified(); 0: of no class.
  std::uint64_t equivalence_class = 0;
  std::uint64_t arrival = 0;  ///< order in which slices first came; upstream's input order

  [[nodiscard]] const std::string& node_name() const;  ///< empty: not of one node
};

/// What is allocated of one device.
struct DeviceUse {
  std::uint32_t dedicated = 0;  ///< allocations without a share id
  std::uint32_t shares = 0;
  bool has_consumed = false;  ///< there is an entry of consumed capacity, perhaps empty
  Counters consumed;          ///< by all shares

  /// Nothing is allocated of it.
  [[nodiscard]] bool none() const { return dedicated == 0 && shares == 0 && !has_consumed; }
  bool operator==(const DeviceUse&) const = default;
};

/// The devices in use of one slice, by their place in it. Immutable; null where none is.
using SliceUse = std::vector<std::pair<std::uint32_t, DeviceUse>>;

/// A slice with its use.
struct PoolSlot {
  std::shared_ptr<const PublishedSlice> slice;
  std::shared_ptr<const SliceUse> use;
  /// Moves with everything on the slice: a new slice or a change of use.
  std::uint64_t version = 0;
};

/// All slices of one (driver, pool), of all nodes and generations. Immutable.
struct Pool {
  DriverName driver;
  PoolName name;
  /// By (node name, arrival): those that are not of one node come first.
  std::vector<PoolSlot> slots;

  /// How many slices of one generation there are: what completeness is judged by.
  struct Generation {
    std::int64_t generation = 0;
    std::int64_t slices = 0;
    std::int64_t without_compatibility_groups = 0;
  };
  std::vector<Generation> generations;  ///< ascending
  bool has_counters = false;            ///< some slice has counter sets or consumes counters
  /// Moves when what other nodes see of the pool changes: slices come, go or change (not their use,
  /// unless the pool has counters).
  std::uint64_t version = 0;

  /// The slots of one node: [first, last).
  [[nodiscard]] std::pair<std::size_t, std::size_t> of_node(const std::string& node) const;
};

}  // namespace dray::cluster
