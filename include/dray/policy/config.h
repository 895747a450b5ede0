#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/quantity.h"
#include "dray/base/time.h"
#include "dray/policy/config_sections.h"
#include "dray/policy/counting_rule.h"
#include "dray/policy/keys.h"
#include "dray/policy/node_group.h"
#include "dray/policy/queue_config.h"
#include "dray/policy/queue_tree.h"
#include "dray/policy/resource.h"

namespace dray::policy {

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
  std::vector<NodeGroup> node_groups;        ///< empty: nobody says what an autoscaler can add
  std::optional<Provisioning> provisioning;  ///< absent: gangs are shown pod by pod

  bool operator==(const PolicyConfig&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& config) {
    io.constant("apiVersion", "dray.dev/v1alpha1", "The version of this form.");
    io.constant("kind", "Policy", "");
    io.key("queuesFrom", config.queues_from,
           "Where the queues are: in this file, or KAI's Queue objects.");
    io.key("resources", config.resources,
           "What is counted besides cpu and memory; a device counts once for a resource, by the "
           "first rule that matches.");
    io.key("queues", config.queues, "The tree of queues; only those without any below take pods.");
    io.key("podQueues", config.pod_queues, "Which queue a pod belongs to.");
    io.key("placement", config.placement,
           "By resource: fill nodes and devices one by one, or use all evenly. Default pack.");
    io.key("shares", config.shares,
           "Parts of devices: on nodes and devices that are shared already, or on unused ones.");
    io.key("fractions", config.fractions,
           "What KAI's annotations gpu-fraction and gpu-memory ask for. Absent: such pods wait.");
    io.key("alignment", config.alignment, "Devices that belong close together.");
    io.key("topology", config.topology, "Node labels, the widest domain first.");
    io.key("fairness", config.fairness, "Shares that even out over time.");
    io.key("aging", config.aging, above(0),
           "Waiting so long counts as one more of job priority. Absent: it does not.");
    io.key("gangs", config.gangs, "Jobs of several pods.");
    io.key("preemption", config.preemption, "Within a queue.");
    io.key("reclaim", config.reclaim, "Between queues.");
    io.key("consolidation", config.consolidation, "Moving jobs together.");
    io.key("budgets", config.budgets, "Bounds of one plan.");
    io.key("nodeGroups", config.node_groups,
           "What a cluster autoscaler can add. A job is shown to it (budgets.exposedJobs) only if "
           "nodes of these would take it. Absent: any job without room is.");
    io.key("provisioningRequests", config.provisioning,
           "Nodes for a job of several pods are asked for together, and its pods are shown when "
           "they are there. Absent: its pods are shown at once, as those of other jobs are.");
  }
};

/// What is wrong with a policy, and where: `queues[2].quota.gpu`.
struct ConfigProblem {
  /// An error keeps the policy from being used; a warning does not.
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
