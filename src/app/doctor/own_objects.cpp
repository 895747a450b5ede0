#include "app/doctor/own_objects.h"

#include <algorithm>

namespace dray::app {
namespace {

std::string key_of(const ObjectMeta& meta, const std::string& claim) {
  return meta.namespace_name + "/" + claim;
}

}  // namespace

OwnObjects::OwnObjects(const std::vector<KubeObject>& objects, const OwnContext& context)
    : context_(context) {
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) continue;
    auto& claims = has(*pod) ? own_claims_ : others_claims_;
    for (const auto& entry : pod->resource_claims) {
      if (entry.claim_name) claims.insert(key_of(pod->meta, *entry.claim_name));
    }
    for (const auto& made : pod->resource_claim_statuses) {
      if (made.claim_name) claims.insert(key_of(pod->meta, *made.claim_name));
    }
  }
}

bool OwnObjects::has(const Pod& pod) const {
  if (context_.partition) return pod.scheduler_name == context_.scheduler_name;
  const auto& others = context_.other_schedulers;
  return std::ranges::find(others, pod.scheduler_name) == others.end();
}

bool OwnObjects::has(const ResourceClaim& claim) const {
  const auto key = key_of(claim.meta, claim.meta.name);
  return own_claims_.contains(key) || !others_claims_.contains(key);
}

}  // namespace dray::app
