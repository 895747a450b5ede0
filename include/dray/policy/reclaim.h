#pragma once

#include <span>
#include <utility>
#include <vector>

#include "dray/policy/amounts.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

// Taking back between queues: KAI's rules (pkg/scheduler/plugins/proportion/reclaimable).

/// A pending job that wants room from other queues.
struct Reclaimer {
  QueueIndex queue;  ///< its leaf
  Amounts requested;
  bool preemptible = true;
};

/// What a scenario takes from the jobs of one leaf queue: chunk by chunk (elastic pods singly, then
/// the rest of a gang).
struct Taking {
  QueueIndex queue;
  std::vector<Amounts> chunks;
};

/// The ancestors of both, at the first level where they differ: who compares with whom.
[[nodiscard]] std::pair<QueueIndex, QueueIndex> rivals(const QueueTree& tree, QueueIndex reclaimer,
                                                       QueueIndex victim);

/// The strategies: a queue holding `remains` is above what it may hold in some resource…
[[nodiscard]] bool maintains_fair_share(const Queue& victim, const Amounts& remains);
/// …or the reclaimer's queue stays within its quota, and the victim's is above its own in some.
[[nodiscard]] bool guarantees_quota(const Queue& reclaimer, const Amounts& requested,
                                    const Queue& victim, const Amounts& remains);

/// Whether a job may reclaim at all: its leaf queue stays within its fair share, and within its
/// quota with what is not preemptible.
[[nodiscard]] bool may_reclaim(const QueueTree& tree, const Reclaimer& reclaimer);

/// Whether a job of `victim` is worth a look: one of the strategies may hold for its queue.
[[nodiscard]] bool may_give(const QueueTree& tree, const Reclaimer& reclaimer, QueueIndex victim);

/// How much the chunks, all of leaves below the rival of the reclaimer that `victim` is below of,
/// can give by the strategies, to a millionth: no subset of them that holds gives more.
[[nodiscard]] Amounts most_given(const QueueTree& tree, const Reclaimer& reclaimer,
                                 QueueIndex victim, std::span<const Amounts> chunks);

/// Whether the takings, in their order, hold: each chunk by a strategy, and afterwards no ancestor
/// of the reclaimer is more saturated than a sibling that gave (times `saturation_multiplier`,
/// at least 1), counted per resource.
[[nodiscard]] bool reclaim_holds(const QueueTree& tree, const Reclaimer& reclaimer,
                                 std::span<const Taking> takings, double saturation_multiplier);

}  // namespace dray::policy
