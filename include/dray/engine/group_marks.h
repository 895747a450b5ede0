#pragma once

namespace dray::engine {

// What other projects write on pods about their groups, queues and placement.

inline constexpr const char* kai_group_annotation = "pod-group-name";
inline constexpr const char* kai_subgroup_label = "kai.scheduler/subgroup-name";
inline constexpr const char* kai_min_member_annotation = "kai.scheduler/batch-min-member";
inline constexpr const char* kai_task_priority_label = "kai.scheduler/task-priority";
inline constexpr const char* kai_preemptibility_label = "kai.scheduler/preemptibility";
inline constexpr const char* kai_topology_annotation = "kai.scheduler/topology";
inline constexpr const char* kai_required_level_annotation =
    "kai.scheduler/topology-required-placement";
inline constexpr const char* kai_preferred_level_annotation =
    "kai.scheduler/topology-preferred-placement";

inline constexpr const char* coscheduling_label = "scheduling.x-k8s.io/pod-group";
inline constexpr const char* old_coscheduling_label = "pod-group.scheduling.sigs.k8s.io/name";
inline constexpr const char* old_coscheduling_min_label =
    "pod-group.scheduling.sigs.k8s.io/min-available";

inline constexpr const char* volcano_annotation = "scheduling.k8s.io/group-name";
inline constexpr const char* job_set_label = "jobset.sigs.k8s.io/jobset-name";
inline constexpr const char* replicated_job_label = "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr const char* job_index_label = "jobset.sigs.k8s.io/job-index";
inline constexpr const char* job_set_attempt_label = "jobset.sigs.k8s.io/restart-attempt";
/// Label and annotation of pods of an Indexed Job.
inline constexpr const char* completion_index_mark = "batch.kubernetes.io/job-completion-index";

inline constexpr const char* leader_worker_set_label = "leaderworkerset.sigs.k8s.io/name";
inline constexpr const char* leader_worker_index_label = "leaderworkerset.sigs.k8s.io/group-index";
/// The leader's is 0.
inline constexpr const char* leader_worker_worker_label =
    "leaderworkerset.sigs.k8s.io/worker-index";
/// On pods: how many a replica has at the revision that they are of.
inline constexpr const char* leader_worker_size_annotation = "leaderworkerset.sigs.k8s.io/size";
inline constexpr const char* leader_worker_subgroup_label =
    "leaderworkerset.sigs.k8s.io/subgroup-index";
/// On the object: the node label in which each subgroup's pods agree.
inline constexpr const char* leader_worker_subgroup_topology_annotation =
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";
inline constexpr const char* ray_cluster_label = "ray.io/cluster";
inline constexpr const char* ray_group_label = "ray.io/group";
inline constexpr const char* training_job_label = "training.kubeflow.org/job-name";
inline constexpr const char* training_replica_label = "training.kubeflow.org/replica-type";
/// Kueue's: on pods, and on the objects that own pods.
inline constexpr const char* kueue_queue_label = "kueue.x-k8s.io/queue-name";
inline constexpr const char* kueue_group_label = "kueue.x-k8s.io/pod-group-name";
inline constexpr const char* training_role_label = "training.kubeflow.org/job-role";

}  // namespace dray::engine
