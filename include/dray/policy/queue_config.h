#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/base/time.h"
#include "dray/policy/keys.h"
#include "dray/policy/placement_strategy.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// Where the queues are: in this file or in KAI's Queue objects.
enum class QueueSource : std::uint8_t { file, kai };

/// Its words in the policy file.
[[nodiscard]] inline std::span<const Word<QueueSource>> words_of(QueueSource) {
  static constexpr std::array words{Word{"file", QueueSource::file}, Word{"kai", QueueSource::kai}};
  return words;
}

/// What owns pods that may be a gang without saying so themselves.
enum class GangOwner : std::uint8_t { job, job_set, leader_worker_set, ray_cluster, training_job };

/// Its words in the policy file.
[[nodiscard]] inline std::span<const Word<GangOwner>> words_of(GangOwner) {
  static constexpr std::array words{Word{"job", GangOwner::job}, Word{"jobSet", GangOwner::job_set},
                                    Word{"leaderWorkerSet", GangOwner::leader_worker_set},
                                    Word{"rayCluster", GangOwner::ray_cluster},
                                    Word{"trainingJob", GangOwner::training_job}};
  return words;
}

/// A quota or a limit; nothing means `unlimited`.
using Bound = std::optional<Quantity>;
/// Bounds by the names of their resources.
using Bounds = std::map<std::string, Bound, std::less<>>;

/// Strategies by the names of their resources.
using Placements = std::map<std::string, PlacementStrategy, std::less<>>;

/// One weight for all resources, and others for some.
struct Weights {
  Quantity all{1};
  std::map<std::string, Quantity, std::less<>> by_resource;

  bool operator==(const Weights&) const = default;
};

/// A queue as the policy file has it.
struct QueueConfig {
  QueueName name;
  std::optional<QueueName> parent;  ///< none: below the root
  std::int32_t priority = 100;
  Bounds quota;  ///< absent: 0
  Bounds limit;  ///< absent: none
  Weights over_quota_weight;
  std::optional<Duration> preempt_min_runtime;
  std::optional<Duration> reclaim_min_runtime;
  Placements placement;  ///< where it differs from the policy's
  /// Whose pods may be in it and in the queues below that do not say so themselves; both empty:
  /// everybody's.
  std::vector<std::string> namespaces;
  std::vector<std::string> service_accounts;  ///< NAMESPACE/NAME
  /// Whose pods are gangs; none: the parent's, and at the top all but `job`.
  std::optional<std::vector<GangOwner>> gangs;

  bool operator==(const QueueConfig&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& queue) {
    io.required("name", queue.name, "Lower case letters, digits, - and .");
    io.key("parent", queue.parent, "The queue above; absent or root: the top.");
    io.key("quota", queue.quota,
           "What the queue is owed, by resource. Absent: 0. Resources are cpu, memory, those under "
           "resources, and CLASS.deviceclass.resource.k8s.io/devices.");
    io.key("limit", queue.limit, "What it may hold at most, by resource. Absent: no limit.");
    io.key("overQuotaWeight", queue.over_quota_weight, at_least(0),
           "Its part of what is left over quotas: a number, or numbers by resource. Default 1; 0: "
           "nothing.");
    io.key("priority", queue.priority, "Higher ones are served first.");
    io.key("preemptMinRuntime", queue.preempt_min_runtime,
           "How long its jobs run before others of the queue may preempt them.");
    io.key("reclaimMinRuntime", queue.reclaim_min_runtime,
           "How long its jobs run before other queues may take back from them.");
    io.key("placement", queue.placement, "Where it differs from the policy's placement.");
    io.key("namespaces", queue.namespaces,
           "Namespaces whose pods may be in the queue, and in those below that name nobody. With "
           "serviceAccounts absent too: all.");
    io.key("serviceAccounts", queue.service_accounts,
           "Service accounts, as NAMESPACE/NAME, whose pods may be in it.");
    io.key("gangs", queue.gangs,
           "Whose pods start together or not at all, where they have no group of their own: job "
           "(Indexed Jobs that run all their completions at once), jobSet, leaderWorkerSet, "
           "rayCluster, trainingJob (Kubeflow's). Absent: the parent's; at the top all but job.");
  }
};

/// Which queue a pod belongs to: the first of the labels that it has, else its namespace's, else
/// `otherwise`; without one it waits.
struct PodQueues {
  std::vector<std::string> labels{"dray.dev/queue", "kai.scheduler/queue"};
  std::map<std::string, QueueName, std::less<>> namespaces;
  std::optional<QueueName> otherwise;

  bool operator==(const PodQueues&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& queues) {
    io.key("labels", queues.labels,
           "Labels whose value names a pod's queue; the first that the pod has counts.");
    io.key("namespaces", queues.namespaces, "The queue of a namespace's pods.");
    io.key("otherwise", queues.otherwise, "The queue of all other pods. Absent: they wait.");
  }
};

}  // namespace dray::policy
