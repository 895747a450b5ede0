#include "dray/cluster/published.h"

#include "dray/cel/published_attributes.h"

namespace dray::cluster {
namespace {

Device device_object(const PublishedDevice& published) {
  const auto& traits = *published.traits;
  Device device;
  device.name = DeviceName(*published.name);
  device.attributes =
      traits.attributes ? *traits.attributes : cel::published_attributes(*published.shape);
  device.capacity = traits.capacity;
  device.consumes_counters = traits.consumes_counters;
  device.taints = traits.taints;
  device.binds_to_node = traits.binds_to_node;
  device.binding_conditions = traits.binding_conditions;
  device.binding_failure_conditions = traits.binding_failure_conditions;
  device.allow_multiple_allocations = traits.allow_multiple_allocations;
  device.node_allocatable_resources = traits.node_allocatable;
  return device;
}

ResourceSlice slice_object(const Pool& pool, const PublishedSlice& published) {
  ResourceSlice slice;
  slice.meta.name = published.name;
  slice.driver = pool.driver;
  slice.pool = pool.name;
  slice.pool_generation = published.generation;
  slice.pool_slice_count = published.pool_slice_count;
  slice.scope = published.scope.scope;
  for (const auto& device : published.devices) slice.devices.push_back(device_object(device));
  slice.shared_counters = published.shared_counters;
  slice.skip_node_operations = published.skip_node_operations;
  return slice;
}

}  // namespace

Node node_object(const NodeFacts& facts) {
  Node node;
  node.meta.name = facts.name.get();
  node.meta.uid = facts.uid;
  node.unschedulable = facts.unschedulable;
  if (facts.labels) {
    for (const auto& [key, value] : *facts.labels) node.meta.labels.emplace(key, value);
  }
  if (facts.hostname_label) {
    node.meta.labels.emplace(label_hostname, *facts.hostname_label);
  }
  if (facts.taints) node.taints = *facts.taints;
  if (facts.declared_features) node.declared_features = *facts.declared_features;
  if (!facts.allocatable) return node;
  const auto& amounts = *facts.allocatable;
  node.allocatable.emplace("cpu", Quantity::from_milli(amounts.milli_cpu));
  node.allocatable.emplace("memory", Quantity(amounts.memory));
  node.allocatable.emplace("ephemeral-storage", Quantity(amounts.ephemeral_storage));
  node.allocatable.emplace("pods", Quantity(amounts.pods));
  for (const auto& [name, amount] : amounts.others)
    node.allocatable.emplace(name, Quantity(amount));
  return node;
}

std::vector<ResourceSlice> slices_of_node(const Snapshot& snapshot, NodeIndex node) {
  std::vector<ResourceSlice> slices;
  for (const auto index : snapshot.entry(node).pools) {
    const auto& pool = snapshot.pool(index);
    const auto [first, last] = pool.of_node(snapshot.name(node).get());
    for (auto i = first; i < last; ++i) {
      const auto& published = *pool.slots[i].slice;
      if (!published.per_device) slices.push_back(slice_object(pool, published));
    }
  }
  return slices;
}

}  // namespace dray::cluster
