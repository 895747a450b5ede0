#include "planner/state/shape.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "dray/model/pod_claim.h"

namespace dray::planner {
namespace {

/// The place among `claims` of the one that an entry of spec.resourceClaims stands for; none: the
/// pod turned out not to need it.
std::optional<std::size_t> claim_at(const Pod& pod, const PodResourceClaim& entry,
                                    const PodClaims& claims) {
  const auto* name = claim_of_entry(pod, entry).name;
  if (name == nullptr) return std::nullopt;
  const auto at = std::ranges::find(
      claims, *name, [](const auto& claim) -> const std::string& { return claim->meta.name; });
  if (at == claims.end()) return std::nullopt;
  return static_cast<std::size_t>(at - claims.begin());
}

/// Of all that ShapeSpec compares: what it left out, a tenant could vary to make every pod be
/// compared with every other.
class Hash {
 public:
  void add(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x9e37'79b9'7f4a'7c15U;
    sum_ ^= sum_ >> 29U;
  }
  void add(std::string_view text) { add(std::hash<std::string_view>{}(text)); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const Quantity& value) {
    // Its exact amount, as two of them are equal by that.
    const auto milli = value.exact_milli();
    milli ? add(static_cast<std::uint64_t>(*milli)) : add(value.to_decimal());
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(std::uint64_t{value.has_value()});
    if (value) add(*value);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const auto& value : values) add(value);
  }
  template <class Key, class Value, class Compare>
  void add(const std::map<Key, Value, Compare>& values) {
    add(values.size());
    for (const auto& [key, value] : values) {
      add(key);
      add(value);
    }
  }

  void add(const NodeSelectorRequirement& one) {
    add(one.key);
    add(one.op);
    add(one.values);
  }
  void add(const NodeSelectorTerm& term) {
    add(term.match_expressions);
    add(term.match_fields);
  }
  void add(const HostPort& port) {
    add(port.protocol);
    add(port.ip);
    add(static_cast<std::uint64_t>(port.port));
  }
  void add(const Container& container) {
    add(container.name);
    add(container.requests);
    add(container.limits);
    add(container.claims);
    add(std::uint64_t{container.restart_always});
    add(container.host_ports);
  }
  void add(const NodeAllocatableClaim& taken) {
    add(taken.claim);
    add(taken.containers);
    add(taken.mapping.size());
    for (const auto& [name, quantity] : taken.mapping) {
      add(name);
      add(quantity);
    }
    add(taken.overhead.size());
    for (const auto& [name, amounts] : taken.overhead) {
      add(name);
      add(amounts.per_pod);
      add(amounts.per_container);
    }
  }
  void add(const PodRequirements& pod) {
    add(pod.node_selector);
    add(std::uint64_t{pod.required_node_affinity.has_value()});
    if (pod.required_node_affinity) add(pod.required_node_affinity->terms);
    add_tolerations(pod.tolerations);
    add(pod.init_containers);
    add(pod.containers);
    add(pod.overhead);
    add(pod.pod_requests);
    add(pod.pod_limits);
    add(std::uint64_t{pod.host_network});
  }

  void add(const DeviceRequestSpec& spec) {
    add(spec.name);
    add(spec.device_class.get());
    add(spec.selectors.size());
    for (const auto& selector : spec.selectors) add(selector.cel);
    add(spec.allocation_mode);
    add(static_cast<std::uint64_t>(spec.count));
    add(std::uint64_t{spec.admin_access.value_or(false)});
    add_tolerations(spec.tolerations);
    add(spec.capacity_requests);
    add(std::uint64_t{spec.has_capacity});
    add(spec.derived_attributes.size());
    for (const auto& [name, expression] : spec.derived_attributes) {
      add(name);
      add(expression);
    }
  }
  void add(const DeviceRequest& request) {
    add(request.name);
    add(request.exactly);
    add(request.first_available);
  }
  void add(const DeviceConstraint& constraint) {
    add(constraint.requests);
    add(static_cast<std::uint64_t>(constraint.kind));
    add(constraint.attribute);
  }
  void add(const ClaimConfig& config) {
    add(config.requests);
    add(std::uint64_t{config.opaque.has_value()});
    if (!config.opaque) return;
    add(config.opaque->driver.get());
    add(config.opaque->parameters);
  }
  void add(const ClaimSpec& spec) {
    add(spec.requests);
    add(spec.constraints);
    add(spec.config);
    add(spec.unreadable);
  }

  [[nodiscard]] std::size_t sum() const { return sum_; }

 private:
  template <class Toleration>
  void add_tolerations(const std::vector<Toleration>& tolerations) {
    add(tolerations.size());
    for (const auto& toleration : tolerations) {
      add(toleration.key);
      add(toleration.op);
      add(toleration.value);
      add(toleration.effect);
      add(static_cast<std::uint64_t>(toleration.toleration_seconds.value_or(-1)));
    }
  }

  std::size_t sum_ = 0;
};

}  // namespace

bool ShapeSpec::operator==(const ShapeSpec& other) const {
  const PodRequirements& requirements = pod_;
  const auto same_spec = [](const auto& a, const auto& b) {
    // Admin access goes by the namespace.
    return a->spec == b->spec && a->meta.namespace_name == b->meta.namespace_name;
  };
  const auto same_entry = [&](const PodResourceClaim& a, const PodResourceClaim& b) {
    return a.name == b.name && claim_at(pod_, a, claims_) == claim_at(other.pod_, b, other.claims_);
  };
  return requirements == other.pod_ &&
         pod_.node_allocatable_claims == other.pod_.node_allocatable_claims &&
         std::ranges::equal(claims_, other.claims_, same_spec) &&
         std::ranges::equal(pod_.resource_claims, other.pod_.resource_claims, same_entry);
}

std::size_t ShapeSpec::hash() const {
  Hash hash;
  const PodRequirements& requirements = pod_;
  hash.add(requirements);
  hash.add(pod_.node_allocatable_claims);
  hash.add(claims_.size());
  for (const auto& claim : claims_) {
    hash.add(claim->spec);
    hash.add(claim->meta.namespace_name);
  }
  hash.add(pod_.resource_claims.size());
  for (const auto& entry : pod_.resource_claims) {
    hash.add(entry.name);
    hash.add(claim_at(pod_, entry, claims_).value_or(claims_.size()));
  }
  return hash.sum();
}

void ShapeTable::clear() {
  shapes_.clear();
  singular_.clear();
}

ShapeTable::Singular ShapeTable::take_singular() {
  next_singular_ = 0;
  return std::exchange(singular_, {});
}

const Shape* ShapeTable::find(const Pod& pod, const PodClaims& claims) const {
  const ShapeSpec wanted(pod, claims);
  const auto [first, last] = shapes_.equal_range(wanted.hash());
  for (auto at = first; at != last; ++at) {
    if (ShapeSpec(*at->second->pod, at->second->claims) == wanted) return at->second.get();
  }
  return nullptr;
}

const Shape* ShapeTable::add(Shape shape) {
  auto made = std::make_unique<Shape>(std::move(shape));
  made->number = made->singular ? singular_bit | next_singular_++ : next_++;
  const auto* kept = made.get();
  if (kept->singular) {
    singular_.push_back(std::move(made));
  } else {
    const auto hash = ShapeSpec(*kept->pod, kept->claims).hash();
    shapes_.emplace(hash, std::move(made));
  }
  return kept;
}

}  // namespace dray::planner
