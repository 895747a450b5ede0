#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/base/time.h"
#include "dray/model/meta.h"

// Objects of KAI Scheduler that clusters have already: read, never written.

namespace dray {

/// What a KAI Queue has of one resource: -1 is no bound; what is not written is 0. cpu in
/// thousandths of a core, memory in units of 10^6 bytes, gpu in devices.
struct KaiQueueResource {
  std::optional<Quantity> quota;
  std::optional<Quantity> limit;
  std::optional<Quantity> over_quota_weight;

  bool operator==(const KaiQueueResource&) const = default;
};

/// Queue of scheduling.run.ai/v2.
struct KaiQueue {
  ObjectMeta meta;
  std::string parent;
  std::optional<std::int32_t> priority;
  std::optional<Duration> preempt_min_runtime;
  std::optional<Duration> reclaim_min_runtime;
  KaiQueueResource gpu;
  KaiQueueResource cpu;
  KaiQueueResource memory;

  bool operator==(const KaiQueue&) const = default;
};

/// Levels of a KaiTopology that pods must or should share one domain of.
struct KaiTopologyConstraint {
  std::string topology;
  std::string required;
  std::string preferred;

  bool operator==(const KaiTopologyConstraint&) const = default;
};

/// A part of a KaiPodGroup: of pods, or (with `min_sub_group`, or as another's parent) of parts.
struct KaiSubGroup {
  std::string name;
  std::string parent;
  std::optional<std::int32_t> min_member;
  std::optional<std::int32_t> min_sub_group;
  KaiTopologyConstraint topology;

  bool operator==(const KaiSubGroup&) const = default;
};

/// PodGroup of scheduling.run.ai/v2alpha2.
struct KaiPodGroup {
  ObjectMeta meta;
  std::string queue;
  std::optional<std::int32_t> min_member;
  std::optional<std::int32_t> min_sub_group;
  std::string priority_class;
  std::string preemptibility;  ///< preemptible, non-preemptible or "": by priority
  KaiTopologyConstraint topology;
  std::vector<KaiSubGroup> sub_groups;
  std::optional<Duration> preemption_delay;
  std::optional<Duration> staleness_grace_period;  ///< negative: never stale

  bool operator==(const KaiPodGroup&) const = default;
};

/// A level of a KaiTopology.
struct KaiTopologyLevel {
  std::string label;       ///< of nodes
  std::string alias = {};  ///< a second name for it in constraints; empty: none

  bool operator==(const KaiTopologyLevel&) const = default;
};

/// Topology of kai.scheduler/v1alpha1: its levels, the widest domain first.
struct KaiTopology {
  ObjectMeta meta;
  std::vector<KaiTopologyLevel> levels;

  bool operator==(const KaiTopology&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& topology) {
    io.object("spec", [&](auto& spec) {
      spec.items("levels", topology.levels, [](auto& item, auto& level) {
        item.required("nodeLabel", level.label);
        item.field("alias", level.alias);
      });
    });
  }
};

}  // namespace dray
