#include "sim/claim_names.h"

#include <algorithm>

namespace dray::sim {

Result<ClaimName> claim_name(const Pod& pod, const PodResourceClaim& reference) {
  if (reference.claim_name) return ClaimName{reference.claim_name, false};
  for (const auto& status : pod.resource_claim_statuses) {
    if (status.name == reference.name) return ClaimName{status.claim_name, true};
  }
  return fail(ErrorCode::not_found,
              "pod " + pod.key().to_string() + ": claim " + reference.name + " was not made yet");
}

bool owned_by(const ResourceClaim& claim, const Uid& pod) {
  return std::ranges::any_of(
      claim.meta.owners, [&](const auto& owner) { return owner.controller && owner.uid == pod; });
}

bool pod_done(const Pod& pod) {
  return pod.finished() || (pod.meta.deleted && !pod.node_name);
}

std::string object_key(const ObjectMeta& meta) {
  return meta.namespace_name + "/" + meta.name;
}

}  // namespace dray::sim
