#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dray::engine {

/// Who says that pods belong together.
enum class GroupSource : std::uint8_t {
  none,               ///< a pod by itself
  pod_group,          ///< Kubernetes: spec.schedulingGroup
  kai,                ///< KAI: annotation pod-group-name
  coscheduling,       ///< label scheduling.x-k8s.io/pod-group
  old_coscheduling,   ///< labels pod-group.scheduling.sigs.k8s.io/{name,min-available}
  volcano,            ///< annotation scheduling.k8s.io/group-name
  job_set,            ///< label jobset.sigs.k8s.io/jobset-name
  owner,              ///< annotation kai.scheduler/batch-min-member on pods of one owner
  leader_worker_set,  ///< label leaderworkerset.sigs.k8s.io/name; each replica is a group
  ray_cluster,        ///< label ray.io/cluster
  training_job,       ///< label training.kubeflow.org/job-name
  batch_job,          ///< owned by a Job
  workload,           ///< Kubernetes: a Workload names their controller, and has one template
};

/// What a pod is placed with. `name` is the group's, the owner's uid, or the pod's uid.
struct JobKey {
  GroupSource source = GroupSource::none;
  std::string namespace_name;
  std::string name;
  /// Of a JobSet that starts its Jobs in order: which; of a LeaderWorkerSet: the replica; of a
  /// training job: its kind; of a Workload, which goes by its controller's name: that one's kind.
  std::string part;

  [[nodiscard]] bool is_group() const { return source != GroupSource::none; }
  auto operator<=>(const JobKey&) const = default;
  bool operator==(const JobKey&) const = default;
};

}  // namespace dray::engine
