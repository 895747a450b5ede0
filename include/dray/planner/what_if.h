#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/cluster/state.h"
#include "dray/planner/plan.h"

namespace dray::planner {

/// What would become of pods, one after another, each on what the ones before it left: the planner
/// on a cluster of its own. Nothing is written anywhere. One thread at a time.
class WhatIf {
 public:
  /// `only`: the nodes where pods may go; absent: anywhere.
  WhatIf(cluster::ClusterState cluster, alloc::AllocatorOptions options,
         std::optional<std::vector<NodeName>> only = std::nullopt);

  /// Adds an object as the API server would have it; a pod only counts once it is placed.
  void add(KubeObject object);

  /// Plans the pod and keeps what it gets. Claims from its templates are made as the resourceclaim
  /// controller makes them, but named `<pod>-<reference>`.
  [[nodiscard]] JobOutcome place(Pod pod);
  /// A pod that uses the claim, needs nothing else and bears every node taint.
  [[nodiscard]] static Pod user_of(const ResourceClaim& claim);
  /// The claims that the pod's templates make and that its status does not name yet, as place()
  /// makes them; the status names them then.
  [[nodiscard]] static std::vector<ResourceClaim> claims_for(Pod& pod,
                                                             const cluster::ClusterState& cluster);
  /// The claim that a template makes, named as the template.
  [[nodiscard]] static ResourceClaim claim_of(const ResourceClaimTemplate& source);

  /// One node as a pod that was not placed finds it.
  struct NodeVerdict {
    NodeName node;
    Reason reason = Reason::none;
    std::string detail;
    std::int64_t score = 0;                      ///< where it fits, as in alloc::Allocation
    std::vector<alloc::RequestFunnel> requests;  ///< where devices were looked at
  };
  /// Every node as the pod of that key finds it now; call it before place() to see the nodes that
  /// place() chooses from. Empty if the pod's claims are not ready.
  [[nodiscard]] std::vector<NodeVerdict> explain(Pod pod);

  /// The cluster with all that was added and placed.
  [[nodiscard]] const cluster::ClusterState& cluster() const { return cluster_; }

 private:
  void prepare(Pod& pod);
  void reserve_claims(const Placement& placement);
  void try_devices(const cluster::AllocatedState& state, cluster::NodeIndex node, const Pod& pod,
                   NodeVerdict& verdict);
  static void count_node_allocatable(const cluster::AllocatedState& state, cluster::NodeIndex node,
                                     const Pod& pod, const std::vector<ClaimPlacement>& claims,
                                     NodeVerdict& verdict);

  cluster::ClusterState cluster_;
  Planner planner_;
  alloc::Allocator allocator_;  ///< for explanations
  std::optional<std::vector<NodeName>> only_;
};

}  // namespace dray::planner
