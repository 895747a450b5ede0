#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dray/model/pod_group.h"
#include "dray/model/workload.h"

// How many pods controllers create for what their objects ask, and in which order. The engine and
// the simulation both ask here.

namespace dray {

/// On a JobSet, or on the Jobs of one kind: the node label of which each Job has a domain alone.
inline constexpr const char* job_set_exclusive_annotation =
    "alpha.jobset.sigs.k8s.io/exclusive-topology";
/// Beside it: node selectors do that, and no pod waits for another.
inline constexpr const char* job_set_node_selector_annotation =
    "alpha.jobset.sigs.k8s.io/node-selector";
/// On a LeaderWorkerSet: its workers are created when their leader has a node.
inline constexpr const char* leader_worker_exclusive_annotation =
    "leaderworkerset.sigs.k8s.io/exclusive-topology";

/// How many pods a Job has at a time while `finished` of its completions are over: have succeeded,
/// or failed for good (pkg/controller/job, manageJob). One without completions creates no more once
/// a pod has succeeded.
[[nodiscard]] std::int32_t pods_at_once(std::optional<std::int32_t> parallelism,
                                        std::optional<std::int32_t> completions,
                                        std::int32_t finished = 0);

/// How many indexes a list such as `1,3-5` has.
[[nodiscard]] std::int32_t count_indexes(std::string_view list);

/// How many pods KubeRay creates for the group: its replicas, at least its minimum and at most its
/// maximum, times its hosts; none while it is suspended (utils.GetWorkerGroupDesiredReplicas).
[[nodiscard]] std::int64_t workers_of(const RayWorkerGroup& group);
/// How many of them stay however far KubeRay's autoscaler scales the group down.
[[nodiscard]] std::int64_t least_workers_of(const RayWorkerGroup& group);

/// The kind of that name, or null.
[[nodiscard]] const ReplicatedJob* find_job(const JobSet& set, std::string_view name);
/// Kinds of Jobs that the JobSet controller creates together are one stage: those that depend on
/// the same others, and with the startup policy InOrder each one alone. The name of the first kind
/// of `job`'s stage; empty where the set creates all at once.
[[nodiscard]] std::string stage_of(const JobSet& set, std::string_view job);
/// Whether the kind's Jobs exist only after others are ready or complete.
[[nodiscard]] bool waits_for_others(const JobSet& set, std::string_view job);
/// Whether the other pods of each of its Jobs are admitted only once the pod of index 0 has a node:
/// exclusive placement, unless a node selector does it (jobset's pod webhook).
[[nodiscard]] bool starts_with_leader(const JobSet& set, const ReplicatedJob& job);

/// Whether workers are created only when their leader is ready, or has a node.
[[nodiscard]] bool starts_with_leader(const LeaderWorkerSet& set);

}  // namespace dray
