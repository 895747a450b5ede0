#pragma once

#include <compare>
#include <span>

#include "dray/policy/amounts.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// min(limit, max(quota, fair share)); the limit alone where the quota is unlimited. What a queue
/// may hold before others may take from it.
[[nodiscard]] Amounts allocatable(const Queue& queue);

/// The largest part of its allocatable that a queue holding `held` uses of any resource. Where
/// that is unlimited, of `total`; where it is 0, each unit counts as 1000 shares.
[[nodiscard]] double dominant_share(const Queue& queue, const Amounts& held, const Amounts& total);

/// A queue that asks for its turn (or, in reverse, to give): itself, what the next chunk of its
/// best job needs (nullptr: no job), and what was already taken from it.
struct QueueTurn {
  const Queue& queue;
  const Amounts* next = nullptr;
  std::span<const Amounts> taken;
};

/// `less` where the left queue is served first: KAI's order of sibling queues
/// (pkg/scheduler/plugins/proportion/queue_order). Up to the age; equal ones go by name.
[[nodiscard]] std::weak_ordering compare_turns(const QueueTurn& left, const QueueTurn& right,
                                               const Amounts& total);

}  // namespace dray::policy
