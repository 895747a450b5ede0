#pragma once

#include <cstdint>
#include <optional>

#include "dray/base/time.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// Whose minimum run time protects a victim from reclaim.
enum class ReclaimResolution : std::uint8_t {
  lca,    ///< of the queue next below the lowest common ancestor, on the victim's side, or above
  queue,  ///< of the victim's leaf, or above
};

/// How long a job of `victim` runs before a job of its own queue may preempt it: the first value
/// set from its leaf upwards. `otherwise` where there is none, or no such queue.
[[nodiscard]] Duration preempt_min_runtime(const QueueTree& tree, std::optional<QueueIndex> victim,
                                           Duration otherwise);

/// How long it runs before a job of `taker` may reclaim from it. Queues without a common ancestor:
/// the top queue's value on the victim's side, or `otherwise`.
[[nodiscard]] Duration reclaim_min_runtime(const QueueTree& tree, QueueIndex taker,
                                           std::optional<QueueIndex> victim,
                                           ReclaimResolution resolution, Duration otherwise);

}  // namespace dray::policy
