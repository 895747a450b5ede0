#include "dray/cluster/node_facts.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace dray::cluster {
namespace {

std::int64_t add_saturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

std::int64_t& other_of(NodeAmounts& amounts, const std::string& name) {
  auto at = std::ranges::lower_bound(amounts.others, name, {},
                                     [](const auto& o) -> const auto& { return o.first; });
  if (at == amounts.others.end() || at->first != name) at = amounts.others.insert(at, {name, 0});
  return at->second;
}

void add_list(ResourceList& list, const ResourceList& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, added] = list.try_emplace(name, amount);
    if (!added) at->second += amount;
  }
}

void raise_list(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, amount] : other) {
    const auto [at, added] = list.try_emplace(name, amount);
    if (!added && amount > at->second) at->second = amount;
  }
}

/// aggregateContainerResourcesByFn: sidecars go on running beside the init containers that follow.
ResourceList containers_need(const Pod& pod) {
  ResourceList sum;
  for (const auto& container : pod.containers) add_list(sum, container.requests);
  ResourceList sidecars;
  ResourceList highest;
  for (const auto& container : pod.init_containers) {
    auto need = container.requests;
    if (container.restart_always) {
      add_list(sum, container.requests);
      add_list(sidecars, container.requests);
      need = sidecars;
    } else {
      add_list(need, sidecars);
    }
    raise_list(highest, need);
  }
  raise_list(sum, highest);
  return sum;
}

void add_amount(ResourceList& list, const std::string& name, const Quantity& amount) {
  list[name] += amount;
}

/// addDRANodeAllocatableClaimResources.
void add_devices(ResourceList& list, const std::vector<NodeAllocatableClaim>& claims) {
  for (const auto& claim : claims) {
    for (const auto& mapped : claim.mapping) add_amount(list, mapped.name, mapped.quantity);
    for (const auto& [name, amounts] : claim.overhead) {
      if (amounts.per_pod) add_amount(list, name, *amounts.per_pod);
      if (!amounts.per_container) continue;
      for (std::size_t i = 0; i < claim.containers.size(); ++i) {
        add_amount(list, name, *amounts.per_container);
      }
    }
  }
}

}  // namespace

std::int64_t NodeAmounts::other(std::string_view name) const {
  const auto at = std::ranges::lower_bound(others, name, {},
                                           [](const auto& o) { return std::string_view(o.first); });
  return at != others.end() && at->first == name ? at->second : 0;
}

void NodeAmounts::add(const NodeAmounts& more) {
  milli_cpu = add_saturated(milli_cpu, more.milli_cpu);
  memory = add_saturated(memory, more.memory);
  ephemeral_storage = add_saturated(ephemeral_storage, more.ephemeral_storage);
  pods = add_saturated(pods, more.pods);
  for (const auto& [name, amount] : more.others) {
    auto& mine = other_of(*this, name);
    mine = add_saturated(mine, amount);
  }
}

void NodeAmounts::subtract(const NodeAmounts& less) {
  milli_cpu = add_saturated(milli_cpu, -less.milli_cpu);
  memory = add_saturated(memory, -less.memory);
  ephemeral_storage = add_saturated(ephemeral_storage, -less.ephemeral_storage);
  pods = add_saturated(pods, -less.pods);
  for (const auto& [name, amount] : less.others) {
    auto& mine = other_of(*this, name);
    mine = add_saturated(mine, -amount);
  }
  std::erase_if(others, [](const auto& o) { return o.second == 0; });
}

NodeAmounts amounts_of(const ResourceList& list) {
  NodeAmounts amounts;
  for (const auto& [name, amount] : list) {
    if (name == "cpu") {
      amounts.milli_cpu = amount.milli_value();
    } else if (name == "memory") {
      amounts.memory = amount.value();
    } else if (name == "ephemeral-storage") {
      amounts.ephemeral_storage = amount.value();
    } else if (name == "pods") {
      amounts.pods = amount.value();
    } else {
      amounts.others.emplace_back(name, amount.value());  // a ResourceList is sorted
    }
  }
  return amounts;
}

ResourceList containers_request(const Pod& pod, const std::vector<NodeAllocatableClaim>& devices) {
  auto need = containers_need(pod);
  add_devices(need, devices);
  return need;
}

NodeAmounts requests_of(const Pod& pod, const std::vector<NodeAllocatableClaim>& devices) {
  auto need = containers_request(pod, devices);
  if (pod.pod_requests) {
    for (const auto& [name, amount] : *pod.pod_requests) {
      if (name == "cpu" || name == "memory" || name.starts_with("hugepages-")) need[name] = amount;
    }
  }
  add_list(need, pod.overhead);
  need.erase("pods");
  auto amounts = amounts_of(need);
  std::erase_if(amounts.others, [](const auto& o) { return o.second == 0; });
  amounts.pods = 1;
  return amounts;
}

namespace {

/// What an attempt to bind it has left in the status of a pod without a node is not taken.
std::vector<NodeAllocatableClaim> taken_by(const Pod& pod) {
  return pod.node_name ? pod.node_allocatable_claims : std::vector<NodeAllocatableClaim>();
}

}  // namespace

NodeAmounts requests_of(const Pod& pod) {
  return requests_of(pod, taken_by(pod));
}

std::vector<HostPort> host_ports_of(const Pod& pod) {
  std::vector<HostPort> ports;
  const auto collect = [&](const Container& container) {
    for (auto port : container.host_ports) {
      if (port.port <= 0) continue;
      if (port.protocol.empty()) port.protocol = "TCP";
      if (port.ip.empty()) port.ip = "0.0.0.0";
      ports.push_back(std::move(port));
    }
  };
  std::ranges::for_each(pod.containers, collect);
  for (const auto& container : pod.init_containers) {
    if (container.restart_always) collect(container);
  }
  return ports;
}

bool ports_clash(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.ip == b.ip || a.ip == "0.0.0.0" || b.ip == "0.0.0.0";
}

const std::string* find_label(const LabelSet& labels, std::string_view key) {
  const auto at = std::ranges::lower_bound(
      labels, key, {}, [](const auto& label) { return std::string_view(label.first); });
  return at != labels.end() && at->first == key ? &at->second : nullptr;
}

const std::string* NodeFacts::label(std::string_view key) const {
  if (key == label_hostname) return hostname_label ? &*hostname_label : nullptr;
  return labels ? find_label(*labels, key) : nullptr;
}

namespace {
auto port_order(const HostPort& port) {
  return std::tie(port.port, port.protocol, port.ip);
}
}  // namespace

void NodeUse::add(const NodeUse& more) {
  requested.add(more.requested);
  for (const auto& port : more.ports) {
    ports.insert(std::ranges::upper_bound(ports, port_order(port), {}, port_order), port);
  }
}

void NodeUse::subtract(const NodeUse& less) {
  requested.subtract(less.requested);
  for (const auto& port : less.ports) {
    const auto at = std::ranges::find(ports, port);
    if (at != ports.end()) ports.erase(at);
  }
}

bool same_use(const Pod& a, const Pod& b) {
  const auto same = [](const Container& x, const Container& y) {
    return x.restart_always == y.restart_always && x.requests == y.requests &&
           x.limits == y.limits && x.host_ports == y.host_ports;
  };
  return std::ranges::equal(a.containers, b.containers, same) &&
         std::ranges::equal(a.init_containers, b.init_containers, same) &&
         a.overhead == b.overhead && a.pod_requests == b.pod_requests;
}

namespace {

/// More than any node has of anything, and so little that the pods of a node add up without
/// saturating: what was added can be taken off again, whatever a tenant's pod asks for.
constexpr std::int64_t most_of_a_pod = std::int64_t{1} << 53U;

void bound(std::int64_t& amount) {
  amount = std::clamp(amount, -most_of_a_pod, most_of_a_pod);
}

NodeAmounts bounded(NodeAmounts amounts) {
  bound(amounts.milli_cpu);
  bound(amounts.memory);
  bound(amounts.ephemeral_storage);
  for (auto& [name, amount] : amounts.others) bound(amount);
  return amounts;
}

}  // namespace

NodeUse use_of(const Pod& pod) {
  return use_of(pod, taken_by(pod));
}

NodeUse use_of(const Pod& pod, const std::vector<NodeAllocatableClaim>& devices) {
  return {.requested = bounded(requests_of(pod, devices)), .ports = host_ports_of(pod)};
}

}  // namespace dray::cluster
