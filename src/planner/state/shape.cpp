#include "planner/state/shape.h"

#include <algorithm>
#include <concepts>

#include "dray/cluster/node_facts.h"

namespace dray::planner {
namespace {

/// Writes values one after another so that no two sequences give the same text.
class Key {
 public:
  void add(std::string_view text) {
    add(text.size());
    text_ += text;
  }
  void add(const char* text) { add(std::string_view(text)); }
  void add(std::integral auto number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  void add(const Quantity& quantity) { add(quantity.to_string()); }
  void add_optional(const std::optional<std::string>& text) {
    add(text.has_value());
    if (text) add(*text);
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

void add_terms(Key& key, const std::vector<NodeSelectorRequirement>& requirements) {
  key.add(requirements.size());
  for (const auto& requirement : requirements) {
    key.add(requirement.key);
    key.add(requirement.op);
    key.add(requirement.values.size());
    for (const auto& value : requirement.values) key.add(value);
  }
}

void add_node_rules(Key& key, const Pod& pod) {
  key.add(pod.node_selector.size());
  for (const auto& [name, value] : pod.node_selector) {
    key.add(name);
    key.add(value);
  }
  key.add(pod.required_node_affinity.has_value());
  if (pod.required_node_affinity) {
    key.add(pod.required_node_affinity->terms.size());
    for (const auto& term : pod.required_node_affinity->terms) {
      add_terms(key, term.match_expressions);
      add_terms(key, term.match_fields);
    }
  }
  key.add(pod.tolerations.size());
  for (const auto& toleration : pod.tolerations) {
    key.add(toleration.key);
    key.add(toleration.op);
    key.add(toleration.value);
    key.add(toleration.effect);
  }
}

/// Which containers refer to which claims: overhead of devices goes by that.
void add_claim_users(Key& key, const Pod& pod) {
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    key.add(containers->size());
    for (const auto& container : *containers) {
      key.add(container.claims.size());
      for (const auto& name : container.claims) key.add(name);
    }
  }
}

void add_use(Key& key, const Pod& pod) {
  const auto use = cluster::use_of(pod);
  const auto& need = use.requested;
  key.add(need.milli_cpu);
  key.add(need.memory);
  key.add(need.ephemeral_storage);
  key.add(need.others.size());
  for (const auto& [name, amount] : need.others) {
    key.add(name);
    key.add(amount);
  }
  key.add(use.ports.size());
  for (const auto& port : use.ports) {
    key.add(port.protocol);
    key.add(port.ip);
    key.add(port.port);
  }
}

void add_spec(Key& key, const DeviceRequestSpec& spec) {
  key.add(spec.name);
  key.add(spec.device_class.get());
  key.add(spec.selectors.size());
  for (const auto& selector : spec.selectors) key.add_optional(selector.cel);
  key.add(spec.allocation_mode);
  key.add(spec.count);
  key.add(spec.admin_access.has_value() ? (*spec.admin_access ? 2 : 1) : 0);
  key.add(spec.tolerations.size());
  for (const auto& toleration : spec.tolerations) {
    key.add(toleration.key);
    key.add(toleration.op);
    key.add(toleration.value);
    key.add(toleration.effect);
  }
  key.add(spec.has_capacity);
  key.add(spec.capacity_requests.size());
  for (const auto& [name, amount] : spec.capacity_requests) {
    key.add(name);
    key.add(amount);
  }
  key.add(spec.derived_attributes.size());
  for (const auto& derived : spec.derived_attributes) {
    key.add(derived.name);
    key.add(derived.expression);
  }
}

void add_claim(Key& key, const ResourceClaim& claim) {
  key.add(claim.meta.namespace_name);  // admin access goes by it
  key.add(claim.spec.requests.size());
  for (const auto& request : claim.spec.requests) {
    key.add(request.name);
    key.add(request.exactly.has_value());
    if (request.exactly) add_spec(key, *request.exactly);
    key.add(request.first_available.size());
    for (const auto& sub : request.first_available) add_spec(key, sub);
  }
  key.add(claim.spec.constraints.size());
  for (const auto& constraint : claim.spec.constraints) {
    key.add(constraint.requests.size());
    for (const auto& request : constraint.requests) key.add(request);
    key.add(static_cast<std::uint64_t>(constraint.kind));
    key.add(constraint.attribute);
  }
}

const DeviceRequestSpec* first_choice(const DeviceRequest& request) {
  if (request.exactly) return &*request.exactly;
  return request.first_available.empty() ? nullptr : &request.first_available.front();
}

bool owned_by(const ResourceClaim& claim, const Pod& pod) {
  return std::ranges::any_of(claim.meta.owners,
                             [&](const auto& owner) { return owner.uid == pod.meta.uid; });
}

}  // namespace

std::string shape_key(const Pod& pod, const PodClaims& claims) {
  Key key;
  add_use(key, pod);
  add_claim_users(key, pod);
  add_node_rules(key, pod);
  key.add(claims.size());
  for (const auto& claim : claims) add_claim(key, *claim);
  return std::move(key).take();
}

bool is_singular(const cluster::Snapshot& snapshot, const Pod& pod, const PodClaims& claims,
                 bool leaves) {
  return std::ranges::any_of(claims, [&](const auto& claim) {
    if (!owned_by(*claim, pod)) return true;
    return leaves ? used_by_others(*claim, pod) : snapshot.allocation(claim->key()) != nullptr;
  });
}

bool asks_for_part(const PodClaims& claims) {
  return std::ranges::any_of(claims, [](const auto& claim) {
    return std::ranges::any_of(claim->spec.requests, [](const auto& request) {
      const auto* spec = first_choice(request);
      return spec != nullptr && !spec->capacity_requests.empty();
    });
  });
}

std::size_t devices_in(const ResourceClaim& claim, const AllocationResult* allocation) {
  if (allocation != nullptr) return allocation->devices.size();
  std::size_t count = 0;
  for (const auto& request : claim.spec.requests) {
    const auto* spec = first_choice(request);
    if (spec == nullptr || spec->admin_access.value_or(false)) continue;
    const bool all = spec->allocation_mode == "All";
    count += all ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(spec->count, 1));
  }
  return count;
}

bool is_shared(const ResourceClaim& claim, const Pod& pod) {
  return !owned_by(claim, pod);
}

bool used_by_others(const ResourceClaim& claim, const Pod& pod) {
  return std::ranges::any_of(claim.reserved_for,
                             [&](const auto& user) { return user.uid != pod.meta.uid; });
}

bool is_first_user(const ResourceClaim& claim, const Pod& pod) {
  if (claim.reserved_for.empty() || owned_by(claim, pod)) return true;
  const auto& first = claim.reserved_for.front();
  return first.uid == pod.meta.uid || !first.api_group.empty();
}

std::optional<Device> published_device(const cluster::Snapshot& snapshot, const DeviceId& id) {
  const auto pool = snapshot.find_pool(id.driver, id.pool);
  if (!pool) return std::nullopt;
  for (const auto& slot : snapshot.pool(*pool).slots) {
    for (const auto& published : slot.slice->devices) {
      if (*published.name != id.device.get()) continue;
      Device device;
      device.name = id.device;
      device.capacity = published.traits->capacity;
      return device;
    }
  }
  return std::nullopt;
}

}  // namespace dray::planner
