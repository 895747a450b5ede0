#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dray/model/meta.h"

// Controllers whose pods belong together: what they own, and how many of that start together. A
// JobSet is one, too (pod_group.h).

namespace dray {

/// Job of batch/v1.
struct BatchJob {
  ObjectMeta meta;
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::string completion_mode;  ///< Indexed or NonIndexed
  /// spec.scheduling.schedulingPolicy (1.37): which of the two it has; neither: `basic` is meant.
  bool basic = false;
  bool gang = false;
  std::optional<std::int32_t> min_count;  ///< of the gang; none: all that run at a time
  std::vector<std::string> topology;      ///< spec.scheduling: node labels to agree in
  std::int32_t succeeded = 0;
  std::string failed_indexes;         ///< status.failedIndexes: `1,3-5`, with backoffLimitPerIndex
  std::vector<Condition> conditions;  ///< their types and statuses: Complete, Failed

  bool operator==(const BatchJob&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& job) {
    io.object("spec", [&](auto& spec) {
      spec.field("parallelism", job.parallelism);
      spec.field("completions", job.completions);
      spec.field("completionMode", job.completion_mode);
      bool scheduling = job.basic || job.gang || !job.topology.empty();
      spec.object("scheduling", scheduling, [&](auto& wanted) {
        wanted.object("schedulingPolicy", [&](auto& policy) {
          policy.object("basic", job.basic, [](auto&) {});
          policy.object("gang", job.gang,
                        [&](auto& gang) { gang.field("minCount", job.min_count); });
        });
        wanted.object("schedulingConstraints", [&](auto& constraints) {
          constraints.items("topology", job.topology,
                            [](auto& item, auto& key) { item.required("key", key); });
        });
      });
    });
    io.object("status", [&](auto& status) {
      status.field("succeeded", job.succeeded);
      status.field("failedIndexes", job.failed_indexes);
      status.items("conditions", job.conditions, [](auto& item, auto& condition) {
        item.required("type", condition.type);
        item.required("status", condition.status);
      });
    });
  }
};

/// LeaderWorkerSet of leaderworkerset.x-k8s.io/v1: replicas of a leader with its workers.
struct LeaderWorkerSet {
  ObjectMeta meta;
  std::optional<std::int32_t> size;  ///< pods of a replica, the leader among them; none: 1
  std::string startup_policy;        ///< LeaderReady: workers are made when their leader is ready
  std::optional<std::int32_t> subgroup_size;  ///< subGroupPolicy: pods of a subgroup
  std::string subgroup_type;                  ///< LeaderWorker (the default) or LeaderExcluded

  bool operator==(const LeaderWorkerSet&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& set) {
    io.object("spec", [&](auto& spec) {
      spec.object("leaderWorkerTemplate", [&](auto& each) {
        each.field("size", set.size);
        bool has_subgroups = set.subgroup_size || !set.subgroup_type.empty();
        each.object("subGroupPolicy", has_subgroups, [&](auto& subgroups) {
          subgroups.field("subGroupPolicyType", set.subgroup_type);
          subgroups.field("subGroupSize", set.subgroup_size);
        });
      });
      spec.field("startupPolicy", set.startup_policy);
    });
  }
};

/// Workers of one kind in a RayCluster.
struct RayWorkerGroup {
  std::string name;
  std::optional<std::int32_t> replicas;
  std::optional<std::int32_t> min_replicas;
  std::optional<std::int32_t> max_replicas = {};
  std::optional<std::int32_t> hosts;  ///< pods a replica; none: 1
  bool suspend = false;

  bool operator==(const RayWorkerGroup&) const = default;
};

/// RayCluster of ray.io/v1: a head and its workers.
struct RayCluster {
  ObjectMeta meta;
  bool autoscaling = false;  ///< replicas move by themselves, not below their minimum
  std::vector<RayWorkerGroup> workers;

  bool operator==(const RayCluster&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& cluster) {
    io.object("spec", [&](auto& spec) {
      spec.field("enableInTreeAutoscaling", cluster.autoscaling);
      spec.items("workerGroupSpecs", cluster.workers, [](auto& item, auto& group) {
        item.required("groupName", group.name);
        item.field("replicas", group.replicas);
        item.field("minReplicas", group.min_replicas);
        item.field("maxReplicas", group.max_replicas);
        item.field("numOfHosts", group.hosts);
        item.field("suspend", group.suspend);
      });
    });
  }
};

/// How many pods of one kind a training job has.
struct TrainingReplicas {
  std::optional<std::int32_t> count;  ///< none: 1

  bool operator==(const TrainingReplicas&) const = default;
};

/// A training job of kubeflow.org: they differ in the name of the field that has their pods.
struct TrainingJob {
  ObjectMeta meta;
  std::map<std::string, TrainingReplicas, std::less<>> replicas;  ///< by type: Master, Worker
  std::optional<std::int32_t> min_available;  ///< runPolicy.schedulingPolicy: of all together
  std::optional<std::int32_t> elastic_min;    ///< elasticPolicy.minReplicas: of the workers
  std::string launcher_creation;  ///< of an MPIJob; WaitForWorkersReady: it comes after them

  bool operator==(const TrainingJob&) const = default;

 protected:
  static void describe_as(auto& io, auto& job, std::string_view replicas) {
    io.object("spec", [&](auto& spec) {
      spec.object("runPolicy", [&](auto& policy) {
        policy.object("schedulingPolicy",
                      [&](auto& wanted) { wanted.field("minAvailable", job.min_available); });
      });
      spec.object("elasticPolicy",
                  [&](auto& elastic) { elastic.field("minReplicas", job.elastic_min); });
      spec.field("launcherCreationPolicy", job.launcher_creation);
      spec.entries(replicas, job.replicas,
                   [](auto& item, auto& each) { item.field("replicas", each.count); });
    });
  }
};

/// One of the kinds of training jobs; `Spec::field` is the field that has its pods.
template <class Spec>
struct TrainingJobOf : TrainingJob {
  bool operator==(const TrainingJobOf&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& job) { describe_as(io, job, Spec::field); }
};

namespace detail {
struct PyTorchSpec {
  static constexpr std::string_view field = "pytorchReplicaSpecs";
};
struct TensorFlowSpec {
  static constexpr std::string_view field = "tfReplicaSpecs";
};
struct MpiSpec {
  static constexpr std::string_view field = "mpiReplicaSpecs";
};
struct XgBoostSpec {
  static constexpr std::string_view field = "xgbReplicaSpecs";
};
struct PaddleSpec {
  static constexpr std::string_view field = "paddleReplicaSpecs";
};
struct JaxSpec {
  static constexpr std::string_view field = "jaxReplicaSpecs";
};
}  // namespace detail

using PyTorchJob = TrainingJobOf<detail::PyTorchSpec>;
using TensorFlowJob = TrainingJobOf<detail::TensorFlowSpec>;
using MpiJob = TrainingJobOf<detail::MpiSpec>;
using XgBoostJob = TrainingJobOf<detail::XgBoostSpec>;
using PaddleJob = TrainingJobOf<detail::PaddleSpec>;
using JaxJob = TrainingJobOf<detail::JaxSpec>;

}  // namespace dray
