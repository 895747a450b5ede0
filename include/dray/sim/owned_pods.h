#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"

namespace dray::sim {

/// Who makes the pods of an object: objects of one form say in the same way how many they want.
enum class PodOwnerForm : std::uint8_t {
  replicas,  ///< Deployment, ReplicaSet, StatefulSet
  job,
  cron_job,
  job_set,
  leader_worker_set,
  ray_cluster,
  ray_user,  ///< what has a RayCluster made for it
  training,  ///< of kubeflow.org
};

/// A kind whose controller makes pods.
struct PodOwnerKind {
  std::string_view group;
  std::string_view name;
  PodOwnerForm form;
};

/// All that are known.
inline constexpr auto pod_owner_kinds = std::to_array<PodOwnerKind>({
    {"batch", "Job", PodOwnerForm::job},
    {"batch", "CronJob", PodOwnerForm::cron_job},
    {"apps", "Deployment", PodOwnerForm::replicas},
    {"apps", "ReplicaSet", PodOwnerForm::replicas},
    {"apps", "StatefulSet", PodOwnerForm::replicas},
    {"jobset.x-k8s.io", "JobSet", PodOwnerForm::job_set},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", PodOwnerForm::leader_worker_set},
    {"ray.io", "RayCluster", PodOwnerForm::ray_cluster},
    {"ray.io", "RayJob", PodOwnerForm::ray_user},
    {"ray.io", "RayService", PodOwnerForm::ray_user},
    {"kubeflow.org", "PyTorchJob", PodOwnerForm::training},
    {"kubeflow.org", "TFJob", PodOwnerForm::training},
    {"kubeflow.org", "MPIJob", PodOwnerForm::training},
    {"kubeflow.org", "XGBoostJob", PodOwnerForm::training},
    {"kubeflow.org", "PaddleJob", PodOwnerForm::training},
    {"kubeflow.org", "JAXJob", PodOwnerForm::training},
});

/// Pods of one template in an object. Numbers are not negative.
struct PodSet {
  std::string name;  ///< replicated job, worker group or replica type; empty: the only one
  std::optional<std::int32_t> replicas;
  std::optional<std::int32_t> least;  ///< minReplicas
  std::optional<std::int32_t> most;   ///< maxReplicas
  std::optional<std::int32_t> size;   ///< pods of each replica
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::string completion_mode;
  std::vector<JobDependency> depends_on = {};  ///< of a replicated job
  Labels annotations = {};                     ///< of a replicated job's Jobs
  bool suspended = false;
  std::optional<Pod> pod;  ///< its labels, annotations and specification
};

/// An object whose controller makes pods, as it was written.
struct PodOwner {
  PodOwnerForm form = PodOwnerForm::job;
  std::string api_version;
  std::string kind;
  ObjectMeta meta;
  bool suspended = false;
  bool autoscaling = false;  ///< of a RayCluster
  /// In which order pods are created, as the kind says it: startupPolicyOrder, startupPolicy,
  /// podManagementPolicy or launcherCreationPolicy.
  std::string order;
  std::vector<PodSet> templates;  ///< of a LeaderWorkerSet leader, worker; of Ray the head first
  std::string place;              ///< `job.yaml:12`, for errors
  std::size_t position = 0;       ///< so many objects stand before its pods
};

/// On pods of a Job of which some come only as others end: how many are there at a time.
inline constexpr const char* at_once_annotation = "sim.dray.dev/at-once";

/// On pods that others wait for: the groups of pods that they are in, separated by spaces.
inline constexpr const char* step_annotation = "sim.dray.dev/step";
/// On pods that are created only once others are that far: `STEP STATE COUNT`, separated by
/// semicolons; so many pods of the step are scheduled, ready or complete.
inline constexpr const char* after_annotation = "sim.dray.dev/after";
/// On pods for whose end others wait: where nothing says how long they run, they run so long.
inline constexpr const char* assumed_seconds_annotation = "sim.dray.dev/assumed-run-seconds";

/// Which pods are made.
struct OwnedPodsOptions {
  std::size_t most = 1'000'000;  ///< objects in all: a typing error is not to fill the memory
  /// Whether it is known when pods end. Then those are made, too, that a Job makes when others have
  /// ended (at_once_annotation), and pods say for which others their controllers wait
  /// (after_annotation). Otherwise all pods of an object are there at once.
  bool later = false;
};

/// Adds behind each owner the pods that its controller makes when the object is new, with the
/// names, labels and owners that it gives them, and what it makes between, as a CronJob's Job.
/// Letters that it draws at random are counted instead, in the same alphabet. Objects with a uid
/// were read from a cluster, where their controllers have been: nothing is made for these, nor for
/// those whose pods are there. What is left out is told, for people; an Error: there would be too
/// many objects.
[[nodiscard]] Result<std::vector<std::string>> add_owned_pods(std::vector<KubeObject>& objects,
                                                              std::span<const PodOwner> owners,
                                                              const OwnedPodsOptions& options = {});

}  // namespace dray::sim
