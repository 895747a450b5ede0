#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/model/meta.h"
#include "dray/model/pod.h"

// Groups of pods that start together, as different projects write them. All are read where the API
// server has them; engine/jobs translates them to one kind of job.

namespace dray {

/// PodGroup of scheduling.k8s.io (v1beta1, KEP-4671): a copy of one of its Workload's templates.
struct PodGroup {
  ObjectMeta meta;
  std::optional<std::int32_t> min_count;  ///< schedulingPolicy.gang; none: each pod for itself
  std::vector<std::string> topology;      ///< schedulingConstraints: node labels to agree in
  /// Claims for the whole group (KEP-5729): pods of the group name the same claim or template.
  std::vector<PodResourceClaim> claims;
  std::string priority_class;
  std::optional<std::int32_t> priority;
  std::vector<PodResourceClaimStatus> claim_statuses;

  bool operator==(const PodGroup&) const = default;
};

/// What PodGroups are made from.
struct PodGroupTemplate {
  std::string name;
  std::optional<std::int32_t> min_count;  ///< schedulingPolicy.gang; none: each pod for itself
  std::vector<std::string> topology;      ///< schedulingConstraints: node labels to agree in

  bool operator==(const PodGroupTemplate&) const = default;
};

/// Workload of scheduling.k8s.io (v1beta1, KEP-4671): how the pods of a controller start. Who keeps
/// to the KEP makes PodGroups from its templates.
struct KubeWorkload {
  ObjectMeta meta;
  std::string controller_group;  ///< API group of what makes the pods (`batch`)
  std::string controller_kind;   ///< empty: it names nobody
  std::string controller_name;
  std::vector<PodGroupTemplate> templates;

  bool operator==(const KubeWorkload&) const = default;
};

/// PodGroup of scheduling.x-k8s.io/v1alpha1: the coscheduling plugin's.
struct CoschedulingGroup {
  ObjectMeta meta;
  std::int32_t min_member = 0;

  bool operator==(const CoschedulingGroup&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& group) {
    io.object("spec", [&](auto& spec) { spec.field("minMember", group.min_member); });
  }
};

/// spec.networkTopology of a Volcano PodGroup: how far apart its pods may be.
struct VolcanoNetworkTopology {
  std::string mode;                          ///< hard (the default) or soft
  std::optional<std::int32_t> highest_tier;  ///< highestTierAllowed; tier 1 is the narrowest
  std::string highest_tier_name;

  bool operator==(const VolcanoNetworkTopology&) const = default;
};

/// PodGroup of scheduling.volcano.sh/v1beta1.
struct VolcanoGroup {
  ObjectMeta meta;
  std::int32_t min_member = 0;
  std::string queue;
  std::string priority_class;
  std::optional<VolcanoNetworkTopology> network_topology;

  bool operator==(const VolcanoGroup&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& group) {
    io.object("spec", [&](auto& spec) {
      spec.field("minMember", group.min_member);
      spec.field("queue", group.queue);
      spec.field("priorityClassName", group.priority_class);
      spec.optional("networkTopology", group.network_topology, [](auto& item, auto& topology) {
        item.field("mode", topology.mode);
        item.field("highestTierAllowed", topology.highest_tier);
        item.field("highestTierName", topology.highest_tier_name);
      });
    });
  }
};

/// What a ReplicatedJob waits for: its Jobs are created once the Jobs of `name` have that status.
struct JobDependency {
  std::string name;
  std::string status;  ///< Ready or Complete

  bool operator==(const JobDependency&) const = default;
  auto operator<=>(const JobDependency&) const = default;
};

/// One kind of Job of a JobSet.
struct ReplicatedJob {
  std::string name;
  std::int32_t replicas = 1;
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::vector<JobDependency> depends_on = {};
  Labels annotations = {};  ///< of the Jobs: template.metadata.annotations

  bool operator==(const ReplicatedJob&) const = default;
};

/// How many Jobs of one kind have finished: an entry of status.replicatedJobsStatus.
struct ReplicatedJobStatus {
  std::string name;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;

  bool operator==(const ReplicatedJobStatus&) const = default;
};

/// JobSet of jobset.x-k8s.io/v1alpha2: Jobs that make one workload.
struct JobSet {
  ObjectMeta meta;
  std::vector<ReplicatedJob> jobs;
  bool in_order = false;  ///< startupPolicy InOrder: a kind starts when the one before is ready
  std::vector<ReplicatedJobStatus> statuses;  ///< by name

  bool operator==(const JobSet&) const = default;
};

}  // namespace dray
