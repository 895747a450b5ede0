#include "dray/policy/reclaim.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "dray/policy/queue_order.h"

namespace dray::policy {

namespace {

using ResourceSet = std::bitset<max_resources>;

ResourceSet resources_in(const Amounts& amounts) {
  ResourceSet set;
  for (std::size_t r = 0; r < amounts.size(); ++r) set.set(r, amounts[r] > 0);
  return set;
}

/// A queue from which something is taken, itself or below.
struct Touched {
  Amounts remains;
  ResourceSet involved;
};
using TouchedQueues = std::map<QueueIndex, Touched>;

Touched& touch(TouchedQueues& touched, const QueueTree& tree, QueueIndex queue) {
  return touched.try_emplace(queue, Touched{tree[queue].allocated, {}}).first->second;
}

bool take(const QueueTree& tree, const Reclaimer& reclaimer, const Taking& taking,
          TouchedQueues& touched) {
  const auto [taker, giver] = rivals(tree, reclaimer.queue, taking.queue);
  ResourceSet involved;
  for (const auto& chunk : taking.chunks) involved |= resources_in(chunk);
  for (const auto& chunk : taking.chunks) {
    const auto remains = touch(touched, tree, giver).remains;
    if (!maintains_fair_share(tree[giver], remains) &&
        !guarantees_quota(tree[taker], reclaimer.requested, tree[giver], remains)) {
      return false;
    }
    for (std::optional at = taking.queue; at; at = tree[*at].parent_index) {
      auto& queue = touch(touched, tree, *at);
      queue.remains -= chunk;
      queue.involved |= involved;
    }
  }
  return true;
}

double saturation(double held, double fair_share) {
  if (fair_share == unlimited) return 0;
  if (fair_share == 0) return held > 0 ? std::numeric_limits<double>::infinity() : 0;
  return held / fair_share;
}

/// What both sides would hold, and how they stand.
struct Rival {
  const Amounts& held;
  const Amounts& fair_share;
};

bool stays_less_saturated(const Rival& taker, const Rival& sibling, ResourceSet involved,
                          double multiplier) {
  for (std::size_t r = 0; r < taker.held.size(); ++r) {
    const auto sibling_share = sibling.fair_share[r];
    if (!involved[r] || sibling_share == unlimited || sibling_share <= 0) continue;
    const auto ratio = saturation(taker.held[r], taker.fair_share[r]);
    if (ratio > 1 && ratio * multiplier >= saturation(sibling.held[r], sibling_share)) return false;
  }
  return true;
}

bool are_siblings(const Queue& a, const Queue& b) {
  return a.parent == b.parent;
}

bool within_boundaries(const QueueTree& tree, const Reclaimer& reclaimer,
                       const TouchedQueues& touched, double multiplier) {
  const auto requested = resources_in(reclaimer.requested);
  for (std::optional at = reclaimer.queue; at; at = tree[*at].parent_index) {
    const auto& queue = tree[*at];
    const auto found = touched.find(*at);
    const auto held =
        (found == touched.end() ? queue.allocated : found->second.remains) + reclaimer.requested;
    for (const auto& [index, sibling] : touched) {
      if (index == *at || !are_siblings(tree[index], queue)) continue;
      if (!stays_less_saturated({held, queue.fair_share}, {sibling.remains, tree[index].fair_share},
                                sibling.involved | requested, multiplier)) {
        return false;
      }
    }
    if (!reclaimer.preemptible &&
        !(queue.allocated_nonpreemptible + reclaimer.requested).within(queue.quota)) {
      return false;
    }
  }
  return true;
}

/// How many queues are above.
std::size_t depth_of(const QueueTree& tree, QueueIndex queue) {
  std::size_t depth = 0;
  for (auto at = tree[queue].parent_index; at; at = tree[*at].parent_index) ++depth;
  return depth;
}

}  // namespace

std::pair<QueueIndex, QueueIndex> rivals(const QueueTree& tree, QueueIndex reclaimer,
                                         QueueIndex victim) {
  // Asked for every queue at every victim: no path is made of it.
  auto taker = reclaimer;
  auto giver = victim;
  auto taker_depth = depth_of(tree, taker);
  auto giver_depth = depth_of(tree, giver);
  for (; taker_depth > giver_depth; --taker_depth) taker = *tree[taker].parent_index;
  for (; giver_depth > taker_depth; --giver_depth) giver = *tree[giver].parent_index;
  while (tree[taker].parent_index != tree[giver].parent_index) {
    taker = *tree[taker].parent_index;
    giver = *tree[giver].parent_index;
  }
  return {taker, giver};
}

bool maintains_fair_share(const Queue& victim, const Amounts& remains) {
  return !remains.within(allocatable(victim));
}

bool guarantees_quota(const Queue& reclaimer, const Amounts& requested, const Queue& victim,
                      const Amounts& remains) {
  return (reclaimer.allocated + requested).within(reclaimer.quota) && !remains.within(victim.quota);
}

bool may_reclaim(const QueueTree& tree, const Reclaimer& reclaimer) {
  const auto& queue = tree[reclaimer.queue];
  if (!(queue.allocated + reclaimer.requested).within(queue.fair_share)) return false;
  return reclaimer.preemptible ||
         (queue.allocated_nonpreemptible + reclaimer.requested).within(queue.quota);
}

bool may_give(const QueueTree& tree, const Reclaimer& reclaimer, QueueIndex victim) {
  const auto [taker_index, giver_index] = rivals(tree, reclaimer.queue, victim);
  const auto& taker = tree[taker_index];
  const auto& giver = tree[giver_index];
  if (!(taker.allocated + reclaimer.requested).within(taker.quota)) {
    return maintains_fair_share(giver, giver.allocated);
  }
  bool under = false;
  for (std::size_t r = 0; r < reclaimer.requested.size(); ++r) {
    if (reclaimer.requested[r] <= 0 || giver.quota[r] == unlimited) continue;
    if (giver.allocated[r] > giver.quota[r]) return true;
    under = under || giver.allocated[r] < giver.quota[r];
  }
  return !under;
}

Amounts most_given(const QueueTree& tree, const Reclaimer& reclaimer, QueueIndex victim,
                   std::span<const Amounts> chunks) {
  const auto [taker_index, giver_index] = rivals(tree, reclaimer.queue, victim);
  const auto& taker = tree[taker_index];
  const auto& giver = tree[giver_index];
  const bool owed = (taker.allocated + reclaimer.requested).within(taker.quota);
  const auto may_hold = allocatable(giver);
  const auto resources = reclaimer.requested.size();
  Amounts surplus(resources);
  ResourceSet over;
  for (std::size_t r = 0; r < resources; ++r) {
    const auto keeps = owed ? std::min(may_hold[r], giver.quota[r]) : may_hold[r];
    surplus[r] = giver.allocated[r] - keeps;
    over.set(r, surplus[r] > 0);
  }
  Amounts most(resources);
  if (over.none()) return most;
  Amounts largest(resources);
  for (const auto& chunk : chunks) {
    most += chunk;
    for (std::size_t r = 0; r < resources; ++r) largest[r] = std::max(largest[r], chunk[r]);
  }
  // All but the last chunk leave some surplus; of which resource is known if there is one only.
  constexpr double below = 1e-6;
  for (std::size_t r = 0; r < resources; ++r) {
    if (over[r] && over.count() == 1) most[r] = std::min(most[r], surplus[r] + largest[r] - below);
  }
  return most;
}

bool reclaim_holds(const QueueTree& tree, const Reclaimer& reclaimer,
                   std::span<const Taking> takings, double saturation_multiplier) {
  TouchedQueues touched;
  for (const auto& taking : takings) {
    if (!take(tree, reclaimer, taking, touched)) return false;
  }
  return within_boundaries(tree, reclaimer, touched, saturation_multiplier);
}

}  // namespace dray::policy
