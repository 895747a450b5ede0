#include "dray/model/placement.h"

#include <algorithm>

#include "dray/model/pod_claim.h"

namespace dray {

bool uses_other_claims(const Pod& pod, const Placement& placement) {
  return std::ranges::any_of(pod.resource_claims, [&](const PodResourceClaim& entry) {
    const auto [known, name] = claim_of_entry(pod, entry);
    if (!known || name == nullptr) return !known;
    return std::ranges::none_of(placement.claims, [&, its = name](const ClaimPlacement& part) {
      return part.claim.name == *its;
    });
  });
}

}  // namespace dray
