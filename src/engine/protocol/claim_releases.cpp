#include "engine/protocol/claim_releases.h"

#include "dray/alloc/extended_resources.h"
#include "dray/planner/pod_claims.h"

namespace dray::engine {

Commands ClaimReleases::start(const Pod& pod) {
  Commands out;
  const auto& uid = pod.meta.uid;
  const auto claims = planner::claims_of(*cluster_.snapshot(), pod);
  if (!claims) return out;
  const auto release = [&](const ResourceClaim& claim) {
    out.emplace_back(
        Send{ReleaseClaim{claim.key(), claim.meta.uid, uid, true}, ForRelease{claim.key()}});
  };
  for (const auto& claim : *claims) {
    const bool ours_alone = claim->allocation && claim->reserved_for.size() == 1 &&
                            claim->reserved_for.front().uid == uid;
    if (ours_alone && under_way_.insert(claim->key()).second) release(*claim);
  }
  // The claim for extended resources suits one node's offer; it is made anew for another.
  const auto extended = cluster_.claim(alloc::extended_resource_claim_key(pod));
  if (!extended || extended->meta.deleted || !alloc::is_extended_resource_claim(*extended, uid) ||
      !under_way_.insert(extended->key()).second) {
    return out;
  }
  if (extended->allocation) {
    release(*extended);
  } else {
    out.emplace_back(
        Send{DeleteClaim{extended->key(), extended->meta.uid}, ForRelease{extended->key()}});
  }
  return out;
}

Commands ClaimReleases::step(const ClaimKey& claim) {
  under_way_.erase(claim);
  return {PlanNow{}};
}

}  // namespace dray::engine
