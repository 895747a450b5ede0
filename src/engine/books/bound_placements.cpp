#include "engine/books/bound_placements.h"

#include <utility>

namespace dray::engine {

void BoundPlacements::add(Placement placement, std::vector<ResourceVersion> versions) {
  const auto uid = placement.pod_uid;
  kept_[uid] = {std::move(placement), std::move(versions)};
  claims_moved();
}

bool BoundPlacements::shown(const Uid& pod, const Kept& kept) const {
  const auto& claims = kept.placement.claims;
  for (std::size_t i = 0; i < claims.size() && i < kept.versions.size(); ++i) {
    const auto claim = cluster_.claim(claims[i].claim);
    // A claim that the binding made is not there before the watch shows it.
    if (!claim && claims[i].extended && cluster_.pod(pod)) return false;
    if (!claim || claim->meta.uid != claims[i].claim_uid) continue;
    if (is_older(claim->meta.resource_version, kept.versions[i])) return false;
  }
  return true;
}

void BoundPlacements::claims_moved() {
  std::erase_if(kept_, [this](const auto& entry) {
    if (!shown(entry.first, entry.second)) return false;
    cluster_.forget(entry.first);
    return true;
  });
}

}  // namespace dray::engine
