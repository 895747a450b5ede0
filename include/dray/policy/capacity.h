#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "dray/policy/amounts.h"
#include "dray/policy/queue_tree.h"
#include "dray/policy/resource.h"

namespace dray::policy {

/// Which rule of a queue keeps a job out.
enum class CapacityRule : std::uint8_t {
  limit,                 ///< the queue would hold more than its limit
  nonpreemptible_quota,  ///< what cannot be taken back has to fit the quota
};

/// A job that a queue (its own or one above) has no room for, and the numbers.
struct CapacityRefusal {
  CapacityRule rule = CapacityRule::limit;
  QueueIndex queue;
  std::size_t resource = 0;
  double bound = 0;  ///< limit or quota
  double held = 0;   ///< of what the rule counts
  double requested = 0;

  bool operator==(const CapacityRefusal&) const = default;
};

/// The first queue from `leaf` upwards whose limit does not have room for `requested`. Resources
/// that are not asked for do not count, so that a queue above its lowered limit still takes others.
[[nodiscard]] std::optional<CapacityRefusal> over_limit(const QueueTree& tree, QueueIndex leaf,
                                                        const Amounts& requested);

/// The same for the quota of jobs that are not preemptible.
[[nodiscard]] std::optional<CapacityRefusal> over_quota(const QueueTree& tree, QueueIndex leaf,
                                                        const Amounts& requested);

/// Both rules for a job: the limit, then, unless it is preemptible, the quota.
[[nodiscard]] std::optional<CapacityRefusal> check_capacity(const QueueTree& tree, QueueIndex leaf,
                                                            const Amounts& requested,
                                                            bool preemptible);

/// How much a job of `leaf` may still get by both rules, resource by resource; below 0 where a
/// queue holds more than it may.
[[nodiscard]] Amounts headroom(const QueueTree& tree, QueueIndex leaf, bool preemptible);

/// What a user reads (KAI's words): `team-a quota has reached the allowable limit of GPUs. …`
[[nodiscard]] std::string message(const CapacityRefusal& refusal, const QueueTree& tree,
                                  const ResourceTable& resources);

}  // namespace dray::policy
