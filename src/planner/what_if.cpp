#include "dray/planner/what_if.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dray/alloc/extended_resources.h"
#include "dray/alloc/pool_faults.h"
#include "dray/cluster/node_allocatable.h"
#include "dray/cluster/node_fit.h"
#include "dray/model/pod_claim.h"
#include "dray/planner/pod_claims.h"
#include "planner/place/resource_words.h"

namespace dray::planner {
namespace {

constexpr std::size_t any_number_of_nodes = SIZE_MAX;

Uid made_up_uid(const std::string& kind, const ObjectMeta& meta) {
  return Uid("what-if/" + kind + "/" + meta.namespace_name + "/" + meta.name);
}

}  // namespace

WhatIf::WhatIf(cluster::ClusterState cluster, alloc::AllocatorOptions options,
               std::optional<std::vector<NodeName>> only)
    : cluster_(std::move(cluster)),
      planner_(options),
      allocator_(std::move(options)),
      only_(std::move(only)) {}

void WhatIf::add(KubeObject object) {
  if (auto* claim = std::get_if<ResourceClaim>(&object); claim && claim->meta.uid.get().empty()) {
    claim->meta.uid = made_up_uid("claim", claim->meta);
  }
  cluster_.apply(cluster::ObjectChanged{std::move(object)});
}

Pod WhatIf::user_of(const ResourceClaim& claim) {
  Pod pod;
  pod.meta.namespace_name = claim.meta.namespace_name;
  pod.meta.name = claim.meta.name;
  pod.tolerations.push_back(
      {.key = {}, .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}});
  pod.resource_claims.push_back(
      {.name = "claim", .claim_name = claim.meta.name, .template_name = {}});
  return pod;
}

ResourceClaim WhatIf::claim_of(const ResourceClaimTemplate& source) {
  ResourceClaim claim;
  claim.meta.namespace_name = source.meta.namespace_name;
  claim.meta.name = source.meta.name;
  claim.meta.labels = source.claim_labels;
  claim.meta.annotations = source.claim_annotations;
  claim.spec = source.spec;
  return claim;
}

/// As the API server and the resourceclaim controller would leave it.
void WhatIf::prepare(Pod& pod) {
  if (pod.meta.namespace_name.empty()) pod.meta.namespace_name = "default";
  if (const auto known = cluster_.pod(pod.key())) {
    pod.meta.uid = known->meta.uid;
    pod.node_name = known->node_name;
    if (pod.resource_claim_statuses.empty()) {
      pod.resource_claim_statuses = known->resource_claim_statuses;
    }
  }
  if (pod.meta.uid.get().empty()) pod.meta.uid = made_up_uid("pod", pod.meta);
  for (auto& claim : claims_for(pod, cluster_)) add(std::move(claim));
  cluster_.apply(cluster::ObjectChanged{pod});
}

std::vector<ResourceClaim> WhatIf::claims_for(Pod& pod, const cluster::ClusterState& cluster) {
  std::vector<ResourceClaim> claims;
  for (const auto& entry : pod.resource_claims) {
    if (!entry.template_name) continue;
    const bool made = std::ranges::any_of(
        pod.resource_claim_statuses, [&](const auto& status) { return status.name == entry.name; });
    if (made) continue;
    const auto source = cluster.claim_template({pod.meta.namespace_name, *entry.template_name});
    if (!source) continue;
    auto claim = claim_of(*source);
    claim.meta.name = pod.meta.name + "-" + entry.name;
    claim.meta.uid = made_up_uid("claim", claim.meta);
    claim.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
    pod.resource_claim_statuses.push_back({entry.name, claim.meta.name});
    claims.push_back(std::move(claim));
  }
  return claims;
}

JobOutcome WhatIf::place(Pod pod) {
  prepare(pod);
  if (pod.node_name) {
    JobOutcome bound;
    bound.pods = {pod.meta.uid};
    bound.placements.push_back(
        {.pod = pod.key(), .pod_uid = pod.meta.uid, .node = *pod.node_name, .claims = {}});
    bound.detail = "bound there already";
    return bound;
  }
  PlanInput input;
  input.snapshot = cluster_.snapshot();
  if (only_) input.only = *only_;
  input.budget.nodes_tried = any_number_of_nodes;
  input.jobs.put(std::make_shared<const Job>(single_pod_job(
      cluster_.pod(pod.key()), policy::QueueName(std::string(policy::default_queue)), {})));
  auto made = planner_.plan(input);
  auto outcome = std::move(made.jobs.front());
  for (const auto& placement : outcome.placements) {
    cluster_.assume(placement);
    reserve_claims(placement);
  }
  return outcome;
}

/// As the claims would say who uses them.
void WhatIf::reserve_claims(const Placement& placement) {
  for (const auto& part : placement.claims) {
    const auto known = cluster_.snapshot()->claim(part.claim);
    if (!known) continue;
    auto claim = *known;
    claim.reserved_for.push_back({.api_group = {},
                                  .resource = "pods",
                                  .name = placement.pod.name,
                                  .uid = placement.pod_uid});
    cluster_.apply(cluster::ObjectChanged{std::move(claim)});
  }
}

std::vector<WhatIf::NodeVerdict> WhatIf::explain(Pod pod) {
  prepare(pod);
  const auto snapshot = cluster_.snapshot();
  if (!claims_of(*snapshot, pod)) return {};
  const cluster::AllocatedState state(snapshot);
  const cluster::NodeFit fit(pod, *snapshot);
  std::vector<NodeVerdict> verdicts;
  for (const auto node : snapshot->nodes_by_name()) {
    NodeVerdict verdict{.node = snapshot->name(node),
                        .reason = fit.check(state, node),
                        .detail = {},
                        .requests = {}};
    if (only_ && std::ranges::find(*only_, verdict.node) == only_->end()) continue;
    if (verdict.reason != Reason::none) {
      verdicts.push_back(std::move(verdict));
      continue;
    }
    try_devices(state, node, pod, verdict);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

void WhatIf::try_devices(const cluster::AllocatedState& state, cluster::NodeIndex node,
                         const Pod& pod, NodeVerdict& verdict) {
  const auto& snapshot = state.snapshot();
  const auto claims = claims_of(snapshot, pod);
  std::vector<const ResourceClaim*> open;
  std::vector<ClaimPlacement> given;
  for (const auto& claim : *claims) {
    if (const auto held = state.allocation(claim->key())) {
      given.push_back({.claim = claim->key(),
                       .claim_uid = claim->meta.uid,
                       .allocation = *held,
                       .already_allocated = true});
    } else {
      open.push_back(claim.get());
    }
  }
  std::optional<alloc::ExtendedResourceClaim> extended;
  if (!class_resources(snapshot, pod).empty()) {
    extended = alloc::extended_resource_claim(pod, snapshot, node);
  }
  if (extended) open.push_back(&extended->claim);
  auto found = allocator_.allocate(state, node, open);
  if (!found) {
    verdict.reason = Reason::allocation_error;
    verdict.detail = found.error().message;
  } else if (auto* no = std::get_if<alloc::Unsatisfied>(&*found)) {
    verdict.reason = no->reason;
    verdict.detail = (no->request.empty() ? "" : no->request + " ") + no->detail;
    if (no->reason == Reason::pool_invalid || no->reason == Reason::pool_incomplete) {
      verdict.detail = alloc::pool_faults(state, node, allocator_.options().features);
    }
  } else {
    const auto& made = std::get<alloc::Allocation>(*found);
    verdict.score = made.score;
    for (std::size_t i = 0; i < open.size(); ++i) {
      given.push_back({.claim = open[i]->key(),
                       .claim_uid = open[i]->meta.uid,
                       .allocation = made.results[i],
                       .already_allocated = false});
    }
    if (allocator_.options().features.node_allocatable_resources) {
      count_node_allocatable(state, node, pod, given, verdict);
    }
  }
  verdict.requests = allocator_.explain(state, node, open);
}

void WhatIf::count_node_allocatable(const cluster::AllocatedState& state, cluster::NodeIndex node,
                                    const Pod& pod, const std::vector<ClaimPlacement>& claims,
                                    NodeVerdict& verdict) {
  const auto devices = cluster::node_allocatable_claims(state.snapshot(), node, pod, claims);
  if (!devices) {
    verdict.reason = Reason::allocation_error;
    verdict.detail = devices.error().message;
    return;
  }
  const auto lack = cluster::node_allocatable_lack(state, node, pod, *devices);
  if (!lack) return;
  verdict.reason = Reason::node_resources;
  verdict.detail = text(*lack);
}

}  // namespace dray::planner
