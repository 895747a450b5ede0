#include "planner/state/shape.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dray/model/pod_claim.h"
#include "planner/state/fields_hash.h"

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

/// Of all that ShapeSpec compares: what it left out, a tenant could vary to have each of its pods
/// compared with all others.
FieldsHash hash_of(const Pod& pod, const PodClaims& claims) {
  FieldsHash hash;
  hash.add<PodRequirements>(pod);
  hash.add(pod.node_allocatable_claims);
  for (const auto& claim : claims) {
    hash.add(claim->spec);
    hash.add(claim->meta.namespace_name);
  }
  for (const auto& entry : pod.resource_claims) {
    hash.add(entry.name);
    hash.add(claim_at(pod, entry, claims));
  }
  return hash;
}

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
  return hash_of(pod_, claims_).sum();
}

Kept<Shape>::Value ShapeTable::find(const Pod& pod, const PodClaims& claims) const {
  const ShapeSpec wanted(pod, claims);
  return shapes_.find(wanted.hash(), [&](const Shape& shape) {
    return ShapeSpec(*shape.pod, shape.claims) == wanted;
  });
}

Kept<Shape>::Value ShapeTable::add(Shape shape) {
  shape.number = shape.singular ? singular_bit | next_singular_++ : next_++;
  auto made = std::make_shared<const Shape>(std::move(shape));
  if (made->singular) return made;
  auto held = hash_of(*made->pod, made->claims);
  const auto hash = held.sum();
  held.add(made->pod->meta);
  for (const auto& claim : made->claims) held.add(claim->meta);
  shapes_.add(hash, held.bytes(), made);
  return made;
}

}  // namespace dray::planner
