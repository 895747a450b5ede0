#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/ids.h"
#include "dray/policy/keys.h"
#include "dray/policy/min_runtime.h"

namespace dray::policy {

/// Its words in the policy file.
[[nodiscard]] inline std::span<const Word<ReclaimResolution>> words_of(ReclaimResolution) {
  static constexpr std::array words{Word{"lca", ReclaimResolution::lca},
                                    Word{"queue", ReclaimResolution::queue}};
  return words;
}

/// Attributes that the devices of a pod should share, the most important first, and such that they
/// have to; an alias stands for attributes of several drivers.
struct Alignment {
  std::optional<std::vector<std::string>> prefer;  ///< absent: what the allocator prefers
  std::vector<std::string> require;
  std::map<std::string, std::vector<std::string>, std::less<>> aliases;

  bool operator==(const Alignment&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& alignment) {
    io.key("prefer", alignment.prefer,
           "Attributes or aliases that the devices of a pod should share, the most important "
           "first. Default the PCIe root, then the NUMA node, then the socket.");
    io.key("require", alignment.require,
           "Attributes or aliases that the devices of a pod have to share; devices without them go "
           "with any.");
    io.key("aliases", alignment.aliases, "One name for attributes of several drivers.");
  }
};

/// What KAI's pod annotations gpu-fraction and gpu-memory ask for: consumable capacity of a class.
struct Fractions {
  ClassName device_class;
  std::string memory = "memory";    ///< the capacity that gpu-memory is of, as slices name it
  std::vector<std::string> others;  ///< capacities of which the same part is taken: cores
  std::string distinct;  ///< an attribute by which several devices of a pod are different ones

  bool operator==(const Fractions&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& fractions) {
    io.required("deviceClass", fractions.device_class, "Whose devices are shared.");
    io.key("memory", fractions.memory, "The capacity that gpu-memory is of.");
    io.key("others", fractions.others, "Capacities of which the same part is taken, as cores.");
    io.key("distinct", fractions.distinct,
           "The attribute by which the devices of gpu-fraction-num-devices are different ones.");
  }
};

/// How shares even out over time: KAI's usage database.
struct Fairness {
  std::optional<Duration> half_life;  ///< of past usage; none: it does not fade
  std::optional<Duration> window;     ///< what was before does not count; none: all does
  double strength = 1;                ///< how much it counts: KAI's kValue

  /// Whether the past counts: where it fades or ends. What stayed for ever would be a debt.
  [[nodiscard]] bool remembers() const { return half_life || window; }

  /// For how long it matters who made room for whom, where queues do not take turns: longer than
  /// any cool-down that makes sense.
  static constexpr Duration longest_memory = std::chrono::hours(24);
  /// For how long it matters: that long, or less where queues take turns.
  [[nodiscard]] Duration memory() const {
    return std::min(
        {longest_memory, half_life.value_or(longest_memory), window.value_or(longest_memory)});
  }

  bool operator==(const Fairness&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& fairness) {
    io.key("halfLife", fairness.half_life, above(0),
           "Past usage counts, half as much after this time. Absent, as window: it does not.");
    io.key("window", fairness.window, above(0),
           "Past usage counts for this time (KAI's windowSize). Absent: until it has faded.");
    io.key("strength", fairness.strength, at_least(0),
           "How much past usage counts (KAI's kValue).");
  }
};

/// Evictions of one queue's jobs for another queue's.
struct Reclaim {
  bool enabled = false;
  double saturation_multiplier = 1;
  Duration min_runtime{0};
  ReclaimResolution resolution = ReclaimResolution::lca;

  bool operator==(const Reclaim&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& reclaim) {
    io.key("enabled", reclaim.enabled, "Queues take back from each other.");
    io.key("saturationMultiplier", reclaim.saturation_multiplier, at_least(1),
           "How much less saturated than the giving queue the taking one stays, at least 1.");
    io.key("minRuntime", reclaim.min_runtime, "Where no queue says so.");
    io.key("minRuntimeFrom", reclaim.resolution,
           "Whose reclaimMinRuntime holds: of the branch below the lowest common ancestor, or of "
           "the victim's queue.");
  }
};

/// Evictions of a queue's jobs for others of the same queue, by priority.
struct Preemption {
  bool enabled = false;
  Duration min_runtime{0};

  bool operator==(const Preemption&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& preemption) {
    io.key("enabled", preemption.enabled, "Jobs preempt others of their queue.");
    io.key("minRuntime", preemption.min_runtime, "Where no queue says so.");
  }
};

/// Evictions of jobs that start again elsewhere, so that another fits.
struct Consolidation {
  bool enabled = false;
  std::int32_t max_jobs = 16;  ///< that one plan may move

  bool operator==(const Consolidation&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& consolidation) {
    io.key("enabled", consolidation.enabled, "Running jobs are moved to make room.");
    io.key("maxJobs", consolidation.max_jobs, at_least(1), "How many one plan may move.");
  }
};

/// What holds for jobs of several pods.
struct Gangs {
  Duration stale_after = std::chrono::seconds(60);    ///< below its minimum: then it is evicted
  Duration reserve_after = std::chrono::minutes(10);  ///< waiting: then room is kept for it

  bool operator==(const Gangs&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& gangs) {
    io.key("staleAfter", gangs.stale_after,
           "A running gang below its minimum for so long is evicted.");
    io.key("reserveAfter", gangs.reserve_after,
           "Room is kept for a gang, or a pod that wants several devices, that waited so long.");
  }
};

/// How nodes are asked for jobs of several pods: by cluster-autoscaler's ProvisioningRequests.
struct Provisioning {
  std::string class_name;
  std::map<std::string, std::string, std::less<>> parameters;

  bool operator==(const Provisioning&) const = default;

  /// Its keys in the policy file.
  static void describe(auto& io, auto& provisioning) {
    io.required("class", provisioning.class_name,
                "What the autoscaler is to do: best-effort-atomic-scale-up.autoscaling.x-k8s.io, "
                "check-capacity.autoscaling.x-k8s.io, or a class of the cloud.");
    io.key("parameters", provisioning.parameters, "Of that class, as the autoscaler names them.");
  }
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

  /// Its keys in the policy file.
  static void describe(auto& io, auto& budgets) {
    io.key("jobs", budgets.jobs, at_least(1), "Jobs that one plan looks at.");
    io.key("nodesTried", budgets.nodes_tried, at_least(1),
           "Pairs of job and node that it looks at in full.");
    io.key(
        "evictions", budgets.evictions, at_least(0),
        "Pods that one plan may evict. A gang that is larger is evicted whole, if it is the first "
        "of the plan; 0 evicts nobody.");
    io.key("evictionsPerQueue", budgets.evictions_per_queue, at_least(0),
           "The same for each queue. Absent: no other bound.");
    io.key("victimCooldown", budgets.victim_cooldown,
           "How long an evicted job is spared after it started again.");
    io.key("exposedJobs", budgets.exposed_jobs, at_least(0),
           "Waiting jobs that a cluster autoscaler may see at once.");
  }
};

}  // namespace dray::policy
