#include "dray/policy/device_amounts.h"

#include <algorithm>
#include <utility>

namespace dray::policy {

DeviceAmounts::DeviceAmounts(const Counting& counting, const cluster::Snapshot& snapshot)
    : counting_(&counting) {
  for (const auto& name : counting.device_classes()) {
    if (auto made = snapshot.compiled_class(name)) classes_.push_back(std::move(made));
  }
}

Amounts DeviceAmounts::of(const cluster::Pool& pool, const cluster::PublishedDevice& device) {
  for (const auto& each : classes_) {
    const bool of_class = std::ranges::all_of(each->selectors, [&](const auto& selector) {
      return selector.program && memo_.match(selector.program, device.shape) == cel::Verdict::yes;
    });
    if (!of_class) continue;
    Device seen;
    seen.capacity = device.traits->capacity;
    return counting_->of(seen, pool.driver, ClassName(each->object->meta.name));
  }
  return Amounts(counting_->resources().size());
}

Amounts capacity_of(const Counting& counting, const cluster::Snapshot& snapshot) {
  Amounts total(counting.resources().size());
  for (const auto node : snapshot.nodes_by_name()) {
    total += counting.of(*snapshot.facts(node).allocatable);
  }
  DeviceAmounts devices(counting, snapshot);
  snapshot.for_each_pool([&](const cluster::Pool& pool) {
    for (const auto& slot : pool.slots) {
      const auto& node = slot.slice->node_name();
      if (!node.empty() && !snapshot.node(NodeName(node))) continue;
      for (const auto& device : slot.slice->devices) total += devices.of(pool, device);
    }
  });
  return total;
}

}  // namespace dray::policy
