#pragma once

#include <functional>
#include <vector>

#include "dray/cluster/node_facts.h"
#include "dray/model/claim.h"
#include "dray/model/device.h"
#include "dray/model/node.h"
#include "dray/policy/amounts.h"
#include "dray/policy/config.h"
#include "dray/policy/resource.h"

namespace dray::policy {

/// What a device has of each capacity.
using Capacities = decltype(Device::capacity);

/// The device of that id as published now, or nullptr.
using FindDevice = std::function<const Device*(const DeviceId&)>;

/// What pods and claims count for in the queues, by a policy's rules. Immutable; threads may share
/// it.
class Counting {
 public:
  /// The counting rules of a validated policy.
  explicit Counting(const PolicyConfig& config)
      : resources_(counted_resources(config)), rules_(counting_rules(config)) {}

  /// What is counted; amounts stand in its order.
  [[nodiscard]] const ResourceTable& resources() const { return resources_; }
  /// The device classes that some rule counts, in the order of the rules.
  [[nodiscard]] std::vector<ClassName> device_classes() const;

  /// What a pod's (or a node's) cpu, memory and extended resources count for.
  [[nodiscard]] Amounts of(const ResourceList& resources) const;
  /// What amounts of a node count for: cpu, memory and node resources of rules.
  [[nodiscard]] Amounts of(const cluster::NodeAmounts& amounts) const;

  /// Whether some rule counts devices of the class, and whether all that do count each whole device
  /// for the same.
  [[nodiscard]] bool counts(const ClassName& device_class) const;
  [[nodiscard]] bool whole_devices_alike(const ClassName& device_class) const;

  /// What a claim counts for, whoever shares it: once. With an allocation by its devices, of which
  /// a part counts as the largest part of a capacity that it consumes; else (null) by its requests
  /// (of `firstAvailable` the first, of `All` one device). Admin access counts nothing.
  [[nodiscard]] Amounts of(const ResourceClaim& claim, const AllocationResult* allocation,
                           const FindDevice& find_device) const;

  /// What one device of a request counts for while nothing is known of that device.
  [[nodiscard]] Amounts of(const DeviceRequestSpec& spec) const;
  /// What a device with such capacities counts for, requested through that class, by what is
  /// consumed of it; `consumed` empty: as a whole.
  [[nodiscard]] Amounts of(const Capacities& capacities, const DriverName& driver,
                           const ClassName& device_class, const Counters& consumed) const;
  /// What `count` of a pod's extended resource count for that a DeviceClass stands behind
  /// (KEP-5004); a resource that is counted by that name itself adds nothing.
  [[nodiscard]] Amounts of_class_resource(const std::string& resource,
                                          const ClassName& device_class, double count) const;

  /// What a node's device counts for as a whole, requested through that class.
  [[nodiscard]] Amounts of(const Device& device, const DriverName& driver,
                           const ClassName& device_class) const;

 private:
  struct Part;
  void add(const Part& part, Amounts& amounts) const;

  ResourceTable resources_;
  std::vector<std::vector<CountingRule>> rules_;
};

}  // namespace dray::policy
