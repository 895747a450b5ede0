#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/quantity.h"
#include "dray/base/time.h"
#include "dray/model/ids.h"
#include "dray/policy/min_runtime.h"
#include "dray/policy/placement_strategy.h"
#include "dray/policy/queue_tree.h"
#include "dray/policy/resource.h"

namespace dray::policy {

/// Where the queues are: in this file or in KAI's Queue objects.
enum class QueueSource : std::uint8_t { file, kai };

/// What one device counts for. Exactly one of `device_class` and `node_resource` is set.
struct CountingRule {
  ClassName device_class;
  std::string node_resource;  ///< of a device plugin: nvidia.com/gpu
  Quantity amount{1};         ///< a whole device
  std::string capacity;       ///< where set: the device's capacity of this name, or the part that a
                              ///< claim consumes of it, divided by `per`
  std::optional<Quantity> per;

  bool operator==(const CountingRule&) const = default;
};

/// A resource that devices count for; a device counts once, by the first rule that matches.
struct CountedResource {
  std::string name;
  std::vector<CountingRule> rules;

  bool operator==(const CountedResource&) const = default;
};

/// A quota or a limit; nothing means `unlimited`.
using Bound = std::optional<Quantity>;
using Bounds = std::map<std::string, Bound, std::less<>>;

using Placements = std::map<std::string, PlacementStrategy, std::less<>>;

/// One weight for all resources, and others for some.
struct Weights {
  Quantity all{1};
  std::map<std::string, Quantity, std::less<>> by_resource;

  bool operator==(const Weights&) const = default;
};

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

  bool operator==(const QueueConfig&) const = default;
};

/// Which queue a pod belongs to: the first of the labels that it has, else its namespace's, else
/// `otherwise`; without one it waits.
struct PodQueues {
  std::vector<std::string> labels{"dray.dev/queue", "kai.scheduler/queue"};
  std::map<std::string, QueueName, std::less<>> namespaces;
  std::optional<QueueName> otherwise;

  bool operator==(const PodQueues&) const = default;
};

/// Attributes that the devices of a pod should share, the most important first, and such that they
/// have to; an alias stands for attributes of several drivers.
struct Alignment {
  std::optional<std::vector<std::string>> prefer;  ///< absent: what the allocator prefers
  std::vector<std::string> require;
  std::map<std::string, std::vector<std::string>, std::less<>> aliases;

  bool operator==(const Alignment&) const = default;
};

/// What KAI's pod annotations gpu-fraction and gpu-memory ask for: consumable capacity of a class.
struct Fractions {
  ClassName device_class;
  std::string memory = "memory";    ///< the capacity that gpu-memory is of, as slices name it
  std::vector<std::string> others;  ///< capacities of which the same part is taken: cores
  std::string distinct;  ///< an attribute by which several devices of a pod are different ones

  bool operator==(const Fractions&) const = default;
};

struct Fairness {
  std::optional<Duration> half_life;  ///< of past usage; none: the past does not count
  double strength = 1;                ///< how much it counts: KAI's kValue

  bool operator==(const Fairness&) const = default;
};

struct Reclaim {
  bool enabled = false;
  double saturation_multiplier = 1;
  Duration min_runtime{0};
  ReclaimResolution resolution = ReclaimResolution::lca;

  bool operator==(const Reclaim&) const = default;
};

struct Preemption {
  bool enabled = false;
  Duration min_runtime{0};

  bool operator==(const Preemption&) const = default;
};

struct Consolidation {
  bool enabled = false;
  std::int32_t max_jobs = 16;  ///< that one plan may move

  bool operator==(const Consolidation&) const = default;
};

struct Gangs {
  Duration stale_after = std::chrono::seconds(60);    ///< below its minimum: then it is evicted
  Duration reserve_after = std::chrono::minutes(10);  ///< waiting: then room is kept for it

  bool operator==(const Gangs&) const = default;
};

/// Bounds of one plan, and of what it may disturb.
struct Budgets {
  std::int32_t jobs = 512;
  std::int32_t nodes_tried = 200'000;
  std::int32_t evictions = 64;
  std::optional<std::int32_t> evictions_per_queue;
  Duration victim_cooldown = std::chrono::minutes(10);  ///< before a job may be a victim again
  std::int32_t exposed_jobs = 0;  ///< lifted without a plan, for a cluster autoscaler to see

  bool operator==(const Budgets&) const = default;
};

/// A policy file, as plain values.
struct PolicyConfig {
  QueueSource queues_from = QueueSource::file;
  std::vector<CountedResource> resources;
  std::vector<QueueConfig> queues;
  PodQueues pod_queues;
  Placements placement;                                ///< absent: pack
  PlacementStrategy shares = PlacementStrategy::pack;  ///< of devices, on nodes and on used ones
  std::optional<Fractions> fractions;  ///< absent: pods with such annotations wait, with a Reason
  Alignment alignment;
  std::vector<std::string> topology;  ///< node label keys, the widest domain first
  Fairness fairness;
  std::optional<Duration> aging;  ///< waiting this long counts as one more of job priority
  Gangs gangs;
  Preemption preemption;
  Reclaim reclaim;
  Consolidation consolidation;
  Budgets budgets;

  bool operator==(const PolicyConfig&) const = default;
};

/// What is wrong with a policy, and where: `queues[2].quota.gpu`.
struct ConfigProblem {
  enum class Severity : std::uint8_t { error, warning };
  Severity severity = Severity::error;
  std::string path;
  std::string text;

  bool operator==(const ConfigProblem&) const = default;
};

/// The word for the top of the tree, which is no queue itself.
inline constexpr std::string_view root_queue = "root";
/// The end of a resource's name that counts the devices of one class, as in a ResourceQuota:
/// `gpu.nvidia.com.deviceclass.resource.k8s.io/devices`.
inline constexpr std::string_view class_resource_suffix = ".deviceclass.resource.k8s.io/devices";

/// All that is wrong, in the order of the file: names, units, quotas above the parent's, cycles.
[[nodiscard]] std::vector<ConfigProblem> validate(const PolicyConfig& config);

/// The resources that the policy counts: cpu and memory where a queue names them (always with KAI's
/// queues), then the file's resources, then the device classes that queues name. What is not
/// counted is not restricted.
[[nodiscard]] ResourceTable counted_resources(const PolicyConfig& config);

/// How the devices of each counted resource count, in the table's order: the file's rules, or one
/// device of the class. Empty for cpu and memory.
[[nodiscard]] std::vector<std::vector<CountingRule>> counting_rules(const PolicyConfig& config);

/// What a quantity of a resource is in its unit: cores in millicores.
[[nodiscard]] double amount_of(const Quantity& quantity, ResourceUnit unit);

/// The queues as a tree over counted_resources.
[[nodiscard]] Result<QueueTree> make_tree(const PolicyConfig& config);

/// The strategy for a resource in a queue: its own, else that of the nearest ancestor that has one,
/// else the policy's.
[[nodiscard]] PlacementStrategy placement_of(const PolicyConfig& config, std::string_view queue,
                                             std::string_view resource);

}  // namespace dray::policy
