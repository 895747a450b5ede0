#include "dray/policy/counting.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace dray::policy {

/// A device, or as much of it as a claim has or asks for.
struct Counting::Part {
  const ClassName& device_class;
  const DriverName* driver = nullptr;  ///< of an allocated device
  const Capacities* known = nullptr;   ///< what the device has…
  const DeviceId* id = nullptr;        ///< …or its name, looked up where that matters
  const FindDevice* find = nullptr;    ///< how
  const Counters* consumed = nullptr;  ///< what the claim takes of its capacities

  [[nodiscard]] const Capacities* capacities() const {
    if (known != nullptr || id == nullptr) return known;
    const auto* device = (*find)(*id);
    return device == nullptr ? nullptr : &device->capacity;
  }
};

namespace {

/// The spec that an allocated device was taken for: of `req`, or of `req/sub`.
const DeviceRequestSpec* spec_of(const ResourceClaim& claim, std::string_view request) {
  const auto slash = request.find('/');
  const auto name = request.substr(0, slash);
  const auto it = std::ranges::find(claim.spec.requests, name, &DeviceRequest::name);
  if (it == claim.spec.requests.end()) return nullptr;
  if (slash == std::string_view::npos) return it->exactly ? &*it->exactly : nullptr;
  const auto& subs = it->first_available;
  const auto sub = std::ranges::find(subs, request.substr(slash + 1), &DeviceRequestSpec::name);
  return sub == subs.end() ? nullptr : &*sub;
}

/// The member of that name: `memory`, or with the driver's domain before it.
template <class Map>
auto find_capacity(const Map& capacities, const std::string& name, const DriverName* driver) {
  const auto it = capacities.find(name);
  if (it != capacities.end() || driver == nullptr) return it;
  return capacities.find(driver->get() + "/" + name);
}

/// How much of the device is taken: the largest part of any of its capacities.
double fraction_taken(const Capacities* capacities, const Counters& consumed) {
  if (capacities == nullptr) return 1;
  double fraction = 0;
  for (const auto& [name, amount] : consumed) {
    const auto it = capacities->find(name);
    if (it == capacities->end() || it->second.value.sign() <= 0) continue;
    fraction = std::max(fraction,
                        amount.as_approximate_double() / it->second.value.as_approximate_double());
  }
  return fraction > 0 ? fraction : 1;
}

}  // namespace

void Counting::add(const Part& part, Amounts& amounts) const {
  if (part.device_class.get().empty()) return;  // rules for node resources have none either
  const auto size_by = [&](const CountingRule& rule) {
    if (rule.capacity.empty() || !rule.per) {
      return part.consumed == nullptr ? 1.0 : fraction_taken(part.capacities(), *part.consumed);
    }
    const auto per = rule.per->as_approximate_double();
    if (part.consumed != nullptr) {
      const auto it = find_capacity(*part.consumed, rule.capacity, part.driver);
      if (it != part.consumed->end()) return it->second.as_approximate_double() / per;
    }
    if (const auto* capacities = part.capacities()) {
      const auto it = find_capacity(*capacities, rule.capacity, part.driver);
      if (it != capacities->end()) {
        return it->second.value.as_approximate_double() / per;
      }
    }
    return 1.0;
  };
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    const auto rule = std::ranges::find(rules_[r], part.device_class, &CountingRule::device_class);
    if (rule == rules_[r].end()) continue;
    amounts[r] += rule->amount.as_approximate_double() * size_by(*rule);
  }
}

Amounts Counting::of(const ResourceList& resources) const {
  Amounts amounts(resources_.size());
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    if (const auto it = resources.find(resources_[r].name);
        resources_[r].unit != ResourceUnit::devices && it != resources.end()) {
      amounts[r] = amount_of(it->second, resources_[r].unit);
    }
    for (const auto& rule : rules_[r]) {
      if (rule.node_resource.empty()) continue;
      const auto it = resources.find(rule.node_resource);
      if (it == resources.end()) continue;
      amounts[r] +=
          amount_of(it->second, ResourceUnit::devices) * rule.amount.as_approximate_double();
    }
  }
  return amounts;
}

Amounts Counting::of(const cluster::NodeAmounts& given) const {
  Amounts amounts(resources_.size());
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    if (resources_[r].unit == ResourceUnit::millicores) {
      amounts[r] = static_cast<double>(given.milli_cpu);
    } else if (resources_[r].unit == ResourceUnit::bytes) {
      amounts[r] = static_cast<double>(given.memory);
    }
    for (const auto& rule : rules_[r]) {
      if (rule.node_resource.empty()) continue;
      amounts[r] += static_cast<double>(given.other(rule.node_resource)) *
                    rule.amount.as_approximate_double();
    }
  }
  return amounts;
}

std::vector<ClassName> Counting::device_classes() const {
  std::vector<ClassName> classes;
  for (const auto& rules : rules_) {
    for (const auto& rule : rules) {
      if (!rule.device_class.get().empty()) classes.push_back(rule.device_class);
    }
  }
  return classes;
}

Amounts Counting::of(const ResourceClaim& claim, const AllocationResult* allocation,
                     const FindDevice& find_device) const {
  Amounts amounts(resources_.size());
  if (allocation != nullptr) {
    for (const auto& device : allocation->devices) {
      const auto* spec = spec_of(claim, device.request);
      if (spec == nullptr || device.admin_access.value_or(false)) continue;
      const auto* consumed = device.consumed_capacity.empty() ? nullptr : &device.consumed_capacity;
      add({.device_class = spec->device_class,
           .driver = &device.device.driver,
           .id = &device.device,
           .find = &find_device,
           .consumed = consumed},
          amounts);
    }
    return amounts;
  }
  for (const auto& request : claim.spec.requests) {
    const DeviceRequestSpec* spec = nullptr;
    if (request.exactly) {
      spec = &*request.exactly;
    } else if (!request.first_available.empty()) {
      spec = &request.first_available.front();
    }
    if (spec == nullptr || spec->admin_access.value_or(false)) continue;
    const auto count = spec->allocation_mode == "All" ? 1 : std::max<std::int64_t>(spec->count, 1);
    const auto one = of(*spec);
    for (std::size_t r = 0; r < amounts.size(); ++r) {
      amounts[r] += static_cast<double>(count) * one[r];
    }
  }
  return amounts;
}

Amounts Counting::of(const DeviceRequestSpec& spec) const {
  Amounts amounts(resources_.size());
  const auto* asked = spec.capacity_requests.empty() ? nullptr : &spec.capacity_requests;
  add({.device_class = spec.device_class, .consumed = asked}, amounts);
  return amounts;
}

Amounts Counting::of(const Capacities& capacities, const DriverName& driver,
                     const ClassName& device_class, const Counters& consumed) const {
  Amounts amounts(resources_.size());
  add({.device_class = device_class,
       .driver = &driver,
       .known = &capacities,
       .consumed = consumed.empty() ? nullptr : &consumed},
      amounts);
  return amounts;
}

Amounts Counting::of_class_resource(const std::string& resource, const ClassName& device_class,
                                    double count) const {
  Amounts amounts(resources_.size());
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    const auto& rules = rules_[r];
    if (std::ranges::find(rules, resource, &CountingRule::node_resource) != rules.end()) continue;
    const auto rule = std::ranges::find(rules, device_class, &CountingRule::device_class);
    if (rule != rules.end()) amounts[r] = count * rule->amount.as_approximate_double();
  }
  return amounts;
}

bool Counting::counts(const ClassName& device_class) const {
  // Rules for node resources have no class either.
  return !device_class.get().empty() && std::ranges::any_of(rules_, [&](const auto& rules) {
    return std::ranges::find(rules, device_class, &CountingRule::device_class) != rules.end();
  });
}

bool Counting::whole_devices_alike(const ClassName& device_class) const {
  return std::ranges::all_of(rules_, [&](const auto& rules) {
    const auto rule = std::ranges::find(rules, device_class, &CountingRule::device_class);
    return rule == rules.end() || rule->capacity.empty();
  });
}

Amounts Counting::of(const Device& device, const DriverName& driver,
                     const ClassName& device_class) const {
  Amounts amounts(resources_.size());
  add({.device_class = device_class, .driver = &driver, .known = &device.capacity}, amounts);
  return amounts;
}

}  // namespace dray::policy
