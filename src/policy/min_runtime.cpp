#include "dray/policy/min_runtime.h"

#include <algorithm>

namespace dray::policy {

namespace {

using MinRuntimeOf = std::optional<Duration> QueueSpec::*;

Duration first_upwards(const QueueTree& tree, QueueIndex from, MinRuntimeOf value,
                       Duration otherwise) {
  for (std::optional at = from; at; at = tree[*at].parent_index) {
    if (const auto set = tree[*at].*value) return *set;
  }
  return otherwise;
}

/// The first queue that is the victim's alone; its leaf where both are of one.
QueueIndex below_common_ancestor(const QueueTree& tree, QueueIndex taker, QueueIndex victim) {
  if (!tree[victim].parent_index) return victim;
  const auto takers = tree.path_to(taker);
  const auto victims = tree.path_to(victim);
  const auto parting = std::ranges::mismatch(takers, victims).in2 - victims.begin();
  const auto below = std::min(parting, std::ssize(victims) - 1);
  return victims[static_cast<std::size_t>(below)];
}

/// Where the search for the victim's protection from reclaim begins.
QueueIndex protecting_queue(const QueueTree& tree, QueueIndex taker, QueueIndex victim,
                            ReclaimResolution resolution) {
  switch (resolution) {
    case ReclaimResolution::lca:
      return below_common_ancestor(tree, taker, victim);
    case ReclaimResolution::queue:
      break;
  }
  return victim;
}

}  // namespace

Duration preempt_min_runtime(const QueueTree& tree, std::optional<QueueIndex> victim,
                             Duration otherwise) {
  if (!victim) return otherwise;
  return first_upwards(tree, *victim, &QueueSpec::preempt_min_runtime, otherwise);
}

Duration reclaim_min_runtime(const QueueTree& tree, QueueIndex taker,
                             std::optional<QueueIndex> victim, ReclaimResolution resolution,
                             Duration otherwise) {
  if (!victim) return otherwise;
  const auto from = protecting_queue(tree, taker, *victim, resolution);
  return first_upwards(tree, from, &QueueSpec::reclaim_min_runtime, otherwise);
}

}  // namespace dray::policy
