#include "dray/planner/pod_claims.h"

#include <algorithm>

#include "dray/cluster/snapshot.h"
#include "dray/model/pod_claim.h"

namespace dray::planner {
namespace {

constexpr std::string_view implicit_prefix = "deviceclass.resource.kubernetes.io/";

/// For the pod, or for its PodGroup (KEP-5729).
bool made_for(const ResourceClaim& claim, const Pod& pod) {
  return std::ranges::any_of(claim.meta.owners, [&](const auto& owner) {
    if (owner.controller && owner.uid == pod.meta.uid) return true;
    return pod.pod_group && owner.kind == "PodGroup" && owner.name == *pod.pod_group &&
           owner.api_version.starts_with("scheduling.k8s.io/");
  });
}

std::optional<std::string> missing_class(const cluster::Snapshot& snapshot,
                                         const ResourceClaim& claim) {
  const auto missing = [&](const DeviceRequestSpec& spec) {
    return snapshot.device_class(spec.device_class) == nullptr;
  };
  for (const auto& request : claim.spec.requests) {
    if (request.exactly && missing(*request.exactly)) return request.exactly->device_class.get();
    for (const auto& sub : request.first_available) {
      if (missing(sub)) return sub.device_class.get();
    }
  }
  return std::nullopt;
}

}  // namespace

std::expected<PodClaims, NotReady> claims_of(const cluster::Snapshot& snapshot, const Pod& pod) {
  PodClaims claims;
  for (const auto& entry : pod.resource_claims) {
    const auto [known, name] = claim_of_entry(pod, entry);
    if (!known) return std::unexpected(NotReady{Reason::claim_missing, "claim for " + entry.name});
    if (name == nullptr) continue;
    const ClaimKey key{pod.meta.namespace_name, *name};
    auto claim = snapshot.claim(key);
    const auto not_ready = [&](Reason reason, const std::string& more = "") {
      return std::unexpected(NotReady{reason, "claim " + key.to_string() + more});
    };
    if (!claim) return not_ready(Reason::claim_missing);
    if (claim->meta.deleted) return not_ready(Reason::claim_deleting);
    if (entry.template_name && !made_for(*claim, pod)) return not_ready(Reason::claim_not_owned);
    if (!claim->allocation) {
      if (const auto missing = missing_class(snapshot, *claim)) {
        return not_ready(Reason::class_missing, ": DeviceClass " + *missing);
      }
    }
    const bool twice = std::ranges::any_of(
        claims, [&](const auto& other) { return other->meta.uid == claim->meta.uid; });
    if (!twice) claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<std::string> class_resources(const cluster::Snapshot& snapshot, const Pod& pod) {
  std::vector<std::string> found;
  const auto stands_behind = [&](const std::string& resource) {
    return resource.starts_with(implicit_prefix) ||
           std::ranges::any_of(snapshot.classes(), [&](const auto& each) {
             return each->object->extended_resource_name == resource;
           });
  };
  const auto collect = [&](const Container& container) {
    for (const auto& [resource, amount] : container.requests) {
      // Native resources have no domain; only others may be a class's.
      if (resource.contains('/') && stands_behind(resource)) found.push_back(resource);
    }
  };
  std::ranges::for_each(pod.init_containers, collect);
  std::ranges::for_each(pod.containers, collect);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool bypasses_dray(const cluster::Snapshot& snapshot, const Pod& pod) {
  return pod.resource_claims.empty() && class_resources(snapshot, pod).empty();
}

}  // namespace dray::planner
