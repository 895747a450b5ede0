#include "cluster/publish.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace dray::cluster {
namespace {

std::size_t hash_text(const std::string& text) {
  return std::hash<std::string>{}(text);
}

CompiledScope compile_scope(const NodeScope& scope) {
  CompiledScope compiled{.scope = scope, .matcher = std::nullopt, .matcher_error = {}};
  if (!scope.node_selector) return compiled;
  auto matcher = NodeMatcher::compile(*scope.node_selector);
  if (matcher) {
    compiled.matcher = std::move(*matcher);
  } else {
    compiled.matcher_error = "failed to parse node selector " + go_string(*scope.node_selector) +
                             ": " + matcher.error().message;
  }
  return compiled;
}

/// Equal in amount and in how it is written, so that it prints and rounds the same.
bool same_quantity(const Quantity& a, const Quantity& b) {
  return a == b && a.format() == b.format() && a.as_int64() == b.as_int64();
}

bool same_quantity(const std::optional<Quantity>& a, const std::optional<Quantity>& b) {
  return a.has_value() == b.has_value() && (!a || same_quantity(*a, *b));
}

bool same_policy(const CapacityRequestPolicy& a, const CapacityRequestPolicy& b) {
  if (!same_quantity(a.default_value, b.default_value)) return false;
  if (a.valid_range.has_value() != b.valid_range.has_value()) return false;
  if (a.valid_range && (!same_quantity(a.valid_range->min, b.valid_range->min) ||
                        !same_quantity(a.valid_range->max, b.valid_range->max) ||
                        !same_quantity(a.valid_range->step, b.valid_range->step))) {
    return false;
  }
  return std::ranges::equal(a.valid_values, b.valid_values,
                            [](const auto& x, const auto& y) { return same_quantity(x, y); });
}

bool same_capacity(const DeviceCapacity& a, const DeviceCapacity& b) {
  return same_quantity(a.value, b.value) &&
         a.request_policy.has_value() == b.request_policy.has_value() &&
         (!a.request_policy || same_policy(*a.request_policy, *b.request_policy));
}

bool same_scope(const std::optional<CompiledScope>& a, const std::optional<CompiledScope>& b) {
  return a.has_value() == b.has_value() && (!a || a->scope == b->scope);
}

bool same_capacities(const cel::Capacities& a, const cel::Capacities& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && same_capacity(x.second, y.second);
  });
}

bool same_consumptions(const std::vector<CounterConsumption>& a,
                       const std::vector<CounterConsumption>& b) {
  const auto same_counter = [](const auto& x, const auto& y) {
    return x.first == y.first && same_quantity(x.second, y.second);
  };
  return std::ranges::equal(a, b, [&](const CounterConsumption& x, const CounterConsumption& y) {
    return x.counter_set == y.counter_set && x.compatibility_groups == y.compatibility_groups &&
           std::ranges::equal(x.counters, y.counters, same_counter);
  });
}

/// Whether the same is made of both, but for their scopes.
bool same_device(const Device& a, const Device& b) {
  return a.name == b.name && a.attributes == b.attributes &&
         same_capacities(a.capacity, b.capacity) &&
         same_consumptions(a.consumes_counters, b.consumes_counters) && a.taints == b.taints &&
         a.binds_to_node == b.binds_to_node && a.binding_conditions == b.binding_conditions &&
         a.binding_failure_conditions == b.binding_failure_conditions &&
         a.allow_multiple_allocations == b.allow_multiple_allocations &&
         a.node_allocatable_resources == b.node_allocatable_resources;
}

/// Whether the shape alone does not tell the attributes as published.
bool needs_attributes(const ResourceSlice& slice, const Device& device,
                      const cel::DeviceShape& shape) {
  if (shape.conversion_error()) return true;
  const auto own = slice.driver.get() + "/";
  return std::ranges::any_of(device.attributes, [&](const auto& attribute) {
    const auto& name = attribute.first;
    return name.starts_with(own) && device.attributes.contains(name.substr(own.size()));
  });
}

}  // namespace

std::size_t Publisher::TraitsRules::hash(const DeviceTraits& traits) {
  std::size_t hash = traits.taints.size() * 4 + traits.binding_conditions.size();
  for (const auto& [name, capacity] : traits.capacity) {
    mix(hash, hash_text(name));
    mix(hash, std::hash<std::int64_t>{}(capacity.value.value()));
  }
  for (const auto& consumption : traits.consumes_counters) {
    mix(hash, hash_text(consumption.counter_set));
    for (const auto& [name, amount] : consumption.counters) {
      mix(hash, hash_text(name));
      mix(hash, std::hash<std::int64_t>{}(amount.value()));
    }
  }
  if (traits.scope && traits.scope->scope.node_name) {
    mix(hash, hash_text(traits.scope->scope.node_name->get()));
  }
  mix(hash, traits.node_allocatable.size());
  mix(hash, (traits.binds_to_node ? 1U : 0U) + (traits.allow_multiple_allocations ? 2U : 0U));
  return hash;
}

bool Publisher::TraitsRules::equal(const DeviceTraits& a, const DeviceTraits& b) {
  return a.binds_to_node == b.binds_to_node &&
         a.allow_multiple_allocations == b.allow_multiple_allocations &&
         a.has_binding_conditions == b.has_binding_conditions && a.taints == b.taints &&
         a.binding_conditions == b.binding_conditions &&
         a.binding_failure_conditions == b.binding_failure_conditions &&
         same_scope(a.scope, b.scope) && a.attributes == b.attributes &&
         a.node_allocatable == b.node_allocatable && same_capacities(a.capacity, b.capacity) &&
         same_consumptions(a.consumes_counters, b.consumes_counters);
}

std::size_t Publisher::LabelRules::hash(const LabelSet& labels) {
  std::size_t hash = labels.size();
  for (const auto& [key, value] : labels) {
    mix(hash, hash_text(key));
    mix(hash, hash_text(value));
  }
  return hash;
}

std::size_t Publisher::TaintRules::hash(const std::vector<NodeTaint>& taints) {
  std::size_t hash = taints.size();
  for (const auto& taint : taints) mix(hash, hash_text(taint.key));
  return hash;
}

std::size_t Publisher::AmountRules::hash(const NodeAmounts& amounts) {
  auto hash = std::hash<std::int64_t>{}(amounts.milli_cpu);
  mix(hash, std::hash<std::int64_t>{}(amounts.memory));
  mix(hash, amounts.others.size());
  return hash;
}

std::size_t Publisher::TextListRules::hash(const std::vector<std::string>& texts) {
  std::size_t hash = texts.size();
  for (const auto& text : texts) mix(hash, hash_text(text));
  return hash;
}

std::size_t Publisher::DeviceRules::hash(const std::vector<PublishedDevice>& devices) {
  const std::hash<const void*> one;
  std::size_t hash = devices.size();
  for (const auto& device : devices) {
    mix(hash, one(device.name.get()));
    mix(hash, one(device.shape.get()));
    mix(hash, one(device.traits.get()));
  }
  return hash;
}

bool Publisher::DeviceRules::equal(const std::vector<PublishedDevice>& a,
                                   const std::vector<PublishedDevice>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.name == y.name && x.shape == y.shape && x.traits == y.traits;
  });
}

PublishedDevice Publisher::publish(const ResourceSlice& slice, const Device& device) {
  PublishedDevice made;
  made.name = names_.share(device.name.get());
  made.shape = interner_.intern(slice.driver.get(), device);
  DeviceTraits traits;
  traits.capacity = device.capacity;
  traits.consumes_counters = device.consumes_counters;
  traits.taints = device.taints;
  traits.binding_conditions = device.binding_conditions;
  traits.binding_failure_conditions = device.binding_failure_conditions;
  traits.has_binding_conditions = !device.binding_conditions.empty();
  traits.binds_to_node = device.binds_to_node;
  traits.allow_multiple_allocations = device.allow_multiple_allocations;
  traits.node_allocatable = device.node_allocatable_resources;
  if (slice.per_device_node_selection) traits.scope = compile_scope(device.scope);
  if (needs_attributes(slice, device, *made.shape)) traits.attributes = device.attributes;
  made.traits = traits_.share(std::move(traits));
  return made;
}

PublishedDevices Publisher::publish_devices(const ResourceSlice& slice) {
  auto& known = repeated_[slice.driver.get()];
  if (known.made && !slice.per_device_node_selection &&
      std::ranges::equal(known.given, slice.devices, same_device)) {
    return PublishedDevices(known.made);
  }
  std::vector<PublishedDevice> devices;
  devices.reserve(slice.devices.size());
  for (const auto& device : slice.devices) devices.push_back(publish(slice, device));
  auto made = devices_.share(std::move(devices));
  const bool repeated = made.use_count() > 1;
  if (repeated && !slice.per_device_node_selection) known = {slice.devices, made};
  return PublishedDevices(std::move(made));
}

std::shared_ptr<const PublishedSlice> Publisher::publish(const ResourceSlice& slice,
                                                         std::uint64_t arrival) {
  auto made = std::make_shared<PublishedSlice>();
  made->name = slice.meta.name;
  made->generation = slice.pool_generation;
  made->pool_slice_count = slice.pool_slice_count;
  made->scope = compile_scope(slice.scope);
  made->per_device = slice.per_device_node_selection;
  made->shared_counters = slice.shared_counters;
  made->skip_node_operations = slice.skip_node_operations;
  made->arrival = arrival;
  made->uses_counters = !slice.shared_counters.empty();
  made->devices = publish_devices(slice);
  for (const auto& device : slice.devices) {
    made->uses_counters = made->uses_counters || !device.consumes_counters.empty();
    made->uses_compatibility_groups |= std::ranges::any_of(
        device.consumes_counters,
        [](const auto& consumption) { return !consumption.compatibility_groups.empty(); });
  }
  made->equivalence_class = equivalence_.of_slice(made);
  return made;
}

std::shared_ptr<const NodeFacts> Publisher::publish(const Node& node) {
  auto made = std::make_shared<NodeFacts>();
  made->name = NodeName(node.meta.name);
  made->uid = node.meta.uid;
  made->resource_version = node.meta.resource_version;
  made->unschedulable = node.unschedulable;
  LabelSet labels;
  labels.reserve(node.meta.labels.size());
  for (const auto& [key, value] : node.meta.labels) {
    if (key == label_hostname) {
      made->hostname_label = value;
    } else {
      labels.emplace_back(key, value);
    }
  }
  made->labels = labels_.share(std::move(labels));
  made->taints = taints_.share(node.taints);
  made->allocatable = amounts_.share(amounts_of(node.allocatable));
  made->declared_features = features_.share(node.declared_features);
  return made;
}

}  // namespace dray::cluster
