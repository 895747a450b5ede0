#include "dray/cluster/node_allocatable.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "dray/model/pod_claim.h"

namespace dray::cluster {
namespace {

/// Upstream's filterSlicesForNode; a selector that cannot be parsed takes no node.
bool seen_from(const PublishedSlice& slice, const NodeFacts& node) {
  return slice.per_device || slice.scope.matches(node).value_or(false);
}

/// Null: not published, or not for this node (`node` null: for whichever).
const DeviceTraits* find_traits(const Snapshot& snapshot, const NodeFacts* node,
                                const DeviceId& id) {
  const auto pool = snapshot.find_pool(id.driver, id.pool);
  if (!pool) return nullptr;
  for (const auto& slot : snapshot.pool(*pool).slots) {
    const auto& slice = *slot.slice;
    if (node != nullptr && !seen_from(slice, *node)) continue;
    for (const auto& device : slice.devices) {
      if (*device.name != id.device.get()) continue;
      const bool elsewhere = node != nullptr && slice.per_device &&
                             !device.traits->scope->matches(*node).value_or(false);
      return elsewhere ? nullptr : device.traits.get();
    }
  }
  return nullptr;
}

struct Totals {
  std::map<std::string, Quantity> mapping;
  std::map<std::string, NodeAllocatableOverhead> overhead;
};

Result<void> add_mapping(Totals& totals, const std::string& resource,
                         const NodeAllocatableMapping& mapping, const ClaimPlacement& claim,
                         const AllocatedDevice& device) {
  if (mapping.capacity_key && !mapping.capacity_key->empty()) {
    const auto& consumed = device.consumed_capacity;
    // The API server drops what is empty, so only a new allocation can have nothing in it.
    if (consumed.empty() && (claim.already_allocated || !device.share_id)) {
      return fail(ErrorCode::invalid,
                  fmt::format("claim {}, device {}: ConsumedCapacity is nil, but Capacity key '{}' "
                              "is set in NodeAllocatableResources for resource {}",
                              claim.claim.to_string(), device.device.device.get(),
                              *mapping.capacity_key, resource));
    }
    const auto amount = consumed.find(*mapping.capacity_key);
    if (amount == consumed.end()) return {};
    auto taken = amount->second;
    if (mapping.capacity_multiplier) taken *= *mapping.capacity_multiplier;
    totals.mapping[resource] += taken;
  } else if (mapping.device_multiplier) {
    totals.mapping[resource] += *mapping.device_multiplier;
  }
  return {};
}

void add(std::optional<Quantity>& sum, const std::optional<Quantity>& more) {
  if (more) sum = sum ? *sum + *more : *more;
}

/// Nothing: no device of the claim says what it takes.
Result<std::optional<Totals>> totals_of(const Snapshot& snapshot, const NodeFacts& node,
                                        const ClaimPlacement& claim) {
  const auto& devices = claim.allocation.devices;
  const auto counts = [&](const AllocatedDevice& device) {
    const auto* traits = find_traits(snapshot, &node, device.device);
    return traits != nullptr && !traits->node_allocatable.empty();
  };
  if (std::ranges::none_of(devices, counts)) return std::nullopt;
  Totals totals;
  for (const auto& device : devices) {
    const auto* traits = find_traits(snapshot, &node, device.device);
    if (traits == nullptr) {
      const auto& id = device.device;
      return fail(ErrorCode::invalid,
                  fmt::format("claim {}, device {}, driver {}: device {} not found in pool {} for "
                              "driver {}",
                              claim.claim.to_string(), id.device.get(), id.driver.get(),
                              id.device.get(), id.pool.get(), id.driver.get()));
    }
    for (const auto& [resource, takes] : traits->node_allocatable) {
      if (takes.mapping) {
        auto added = add_mapping(totals, resource, *takes.mapping, claim, device);
        if (!added) return std::unexpected(std::move(added.error()));
      }
      if (takes.overhead && (takes.overhead->per_pod || takes.overhead->per_container)) {
        auto& sum = totals.overhead[resource];
        add(sum.per_pod, takes.overhead->per_pod);
        add(sum.per_container, takes.overhead->per_container);
      }
    }
  }
  if (totals.mapping.empty() && totals.overhead.empty()) return std::nullopt;
  return totals;
}

/// The containers that refer to the claim, as often as they do.
std::vector<std::string> users_of(const Pod& pod, const ClaimKey& claim) {
  std::vector<std::string> names;  // of spec.resourceClaims
  for (const auto& entry : pod.resource_claims) {
    const auto* name = claim_of_entry(pod, entry).name;
    if (name != nullptr && ClaimKey{pod.meta.namespace_name, *name} == claim) {
      names.push_back(entry.name);
    }
  }
  std::vector<std::string> users;
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const auto& container : *containers) {
      for (const auto& name : container.claims) {
        if (std::ranges::find(names, name) != names.end()) users.push_back(container.name);
      }
    }
  }
  return users;
}

bool is_huge_page(std::string_view resource) {
  return resource.starts_with("hugepages-");
}

/// As kube-scheduler counts the resource.
std::int64_t amount_of(const NodeAmounts& amounts, const std::string& resource) {
  if (resource == "cpu") return amounts.milli_cpu;
  if (resource == "memory") return amounts.memory;
  if (resource == "ephemeral-storage") return amounts.ephemeral_storage;
  return amounts.other(resource);
}

/// Upstream's nodeFitsResources: the first resource that it lacks.
std::optional<NodeAllocatableLack> node_lacks(const NodeAmounts& have, const NodeAmounts& used,
                                              const NodeAmounts& need, const NodeAmounts& alone) {
  std::vector<std::string> resources{"cpu", "memory", "ephemeral-storage"};
  for (const auto& [name, wanted] : need.others) {
    if (is_huge_page(name)) resources.push_back(name);
  }
  for (auto& resource : resources) {
    const auto wanted = amount_of(need, resource);
    const auto left = amount_of(have, resource) - amount_of(used, resource);
    if (wanted <= 0 || wanted <= left) continue;
    const auto devices = wanted - amount_of(alone, resource);
    return NodeAllocatableLack{
        .resource = std::move(resource), .wanted = wanted, .devices = devices, .left = left};
  }
  return std::nullopt;
}

Quantity amount(const ResourceList& list, const std::string& name) {
  const auto at = list.find(name);
  return at == list.end() ? Quantity() : at->second;
}

NodeAllocatableLack over_budget(const std::string& name, const Quantity& wanted,
                                const Quantity& devices, const Quantity& budget) {
  const auto unit = [&](const Quantity& quantity) {
    return name == "cpu" ? quantity.milli_value() : quantity.value();
  };
  return {.resource = name,
          .wanted = unit(wanted),
          .devices = unit(devices),
          .left = unit(budget),
          .of_pod = true};
}

std::optional<NodeAllocatableLack> requests_lack(const Pod& pod,
                                                 const std::vector<NodeAllocatableClaim>& devices) {
  if (!pod.pod_requests) return std::nullopt;
  const auto needed = containers_request(pod, devices);
  const auto taken = containers_request(Pod(), devices);
  for (const auto& [name, budget] : *pod.pod_requests) {
    const bool counts = name == "cpu" || name == "memory" || is_huge_page(name);
    if (counts && amount(needed, name) > budget) {
      return over_budget(name, amount(needed, name), amount(taken, name), budget);
    }
  }
  return std::nullopt;
}

/// Huge pages by their sum, everything else container by container.
std::optional<NodeAllocatableLack> limits_lack(const Pod& pod,
                                               const std::vector<NodeAllocatableClaim>& devices) {
  if (!pod.pod_limits) return std::nullopt;
  const auto& budgets = *pod.pod_limits;
  Pod limited;
  limited.containers = pod.containers;
  limited.init_containers = pod.init_containers;
  for (auto* containers : {&limited.containers, &limited.init_containers}) {
    for (auto& container : *containers) container.requests = container.limits;
  }
  const auto all = containers_request(Pod(), devices);
  for (const auto& [name, sum] : containers_request(limited, devices)) {
    const auto budget = budgets.find(name);
    if (is_huge_page(name) && budget != budgets.end() && sum > budget->second) {
      return over_budget(name, sum, amount(all, name), budget->second);
    }
  }
  for (const auto& container : pod.containers) {
    auto mine = devices;
    std::erase_if(mine, [&](const auto& claim) {
      return std::ranges::find(claim.containers, container.name) == claim.containers.end();
    });
    for (auto& claim : mine) claim.containers = {container.name};
    const auto taken = containers_request(Pod(), mine);
    for (const auto& [name, limit] : container.limits) {
      const auto budget = budgets.find(name);
      if (is_huge_page(name) || budget == budgets.end()) continue;
      const auto wanted = limit + amount(taken, name);
      if (wanted > budget->second) {
        return over_budget(name, wanted, amount(taken, name), budget->second);
      }
    }
  }
  return std::nullopt;
}

/// Upstream's validatePodLevelResourcesCoverDRA: what the pod says of itself as a whole must cover
/// its containers with their devices.
std::optional<NodeAllocatableLack> budget_lacks(const Pod& pod,
                                                const std::vector<NodeAllocatableClaim>& devices) {
  auto lack = requests_lack(pod, devices);
  return lack ? lack : limits_lack(pod, devices);
}

}  // namespace

Result<std::vector<NodeAllocatableClaim>> node_allocatable_claims(
    const Snapshot& snapshot, NodeIndex node, const Pod& pod,
    const std::vector<ClaimPlacement>& claims) {
  std::vector<NodeAllocatableClaim> made;
  for (const auto& claim : claims) {
    auto totals = totals_of(snapshot, snapshot.facts(node), claim);
    if (!totals) return std::unexpected(std::move(totals.error()));
    if (!*totals) continue;
    NodeAllocatableClaim status;
    status.claim = claim.claim.name;
    status.containers = users_of(pod, claim.claim);
    for (auto& [name, sum] : (*totals)->mapping) status.mapping.push_back({name, sum});
    for (auto& [name, sum] : (*totals)->overhead) status.overhead.push_back({name, sum});
    made.push_back(std::move(status));
  }
  std::ranges::sort(made, {}, &NodeAllocatableClaim::claim);
  return made;
}

std::optional<NodeAllocatableLack> node_allocatable_lack(
    const AllocatedState& state, NodeIndex node, const Pod& pod,
    const std::vector<NodeAllocatableClaim>& devices, const NodeAmounts& before) {
  if (devices.empty()) return std::nullopt;
  if (auto lack = budget_lacks(pod, devices)) return lack;
  NodeAmounts used = before;
  if (const auto* use = state.use(node)) used.add(use->requested);
  const auto& have = *state.snapshot().facts(node).allocatable;
  return node_lacks(have, used, requests_of(pod, devices), requests_of(pod, {}));
}

bool stands_for_node_resource(const Snapshot& snapshot, const AllocationResult& allocation) {
  return std::ranges::any_of(allocation.devices, [&](const auto& device) {
    const auto* traits = find_traits(snapshot, nullptr, device.device);
    return traits != nullptr &&
           std::ranges::any_of(traits->node_allocatable,
                               [](const auto& takes) { return takes.second.mapping.has_value(); });
  });
}

}  // namespace dray::cluster
