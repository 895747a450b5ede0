#include "simulate/jobs/job_claims.h"

#include <utility>

#include "simulate/jobs/cluster_objects.h"

namespace dray::simulate {

void JobClaims::make(const planner::Job& job) {
  if (none()) return;
  const auto& trace = setting_.workload().jobs[index_of(job.uid)];
  for (const auto& member : job.members) {
    auto claim = claim_object(*member.pod, trace, setting_.cluster().gpus);
    if (claim && !state_.claim(claim->key())) {
      state_.apply(cluster::ObjectChanged{std::move(*claim)});
    }
  }
}

void JobClaims::take(const Placement& placement) {
  for (const auto& each : placement.claims) {
    const auto there = state_.claim(each.claim);
    if (!there) continue;
    auto claim = *there;
    claim.allocation = each.allocation;
    claim.reserved_for = {{.api_group = "",
                           .resource = "pods",
                           .name = placement.pod.name,
                           .uid = placement.pod_uid}};
    state_.apply(cluster::ObjectChanged{std::move(claim)});
  }
}

void JobClaims::give_back(const Pod& pod) {
  for (const auto& entry : pod.resource_claims) {
    const auto there = state_.claim({pod.meta.namespace_name, *entry.claim_name});
    if (!there || !there->allocation) continue;
    auto claim = *there;
    claim.allocation.reset();
    claim.reserved_for.clear();
    state_.apply(cluster::ObjectChanged{std::move(claim)});
  }
}

void JobClaims::remove(const planner::Job& job) {
  if (none()) return;
  for (const auto& member : job.members) {
    for (const auto& entry : member.pod->resource_claims) {
      state_.apply(cluster::ObjectGone{
          Kind::resource_claim, member.pod->meta.namespace_name, *entry.claim_name, {}});
    }
  }
}

}  // namespace dray::simulate
