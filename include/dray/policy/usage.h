#pragma once

#include <map>
#include <optional>

#include "dray/base/time.h"
#include "dray/policy/amounts.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// What queues had over time, the past counting half as much after each half-life: KAI's
/// `sum_over_time(allocated * 0.5^(age/halfLife))` over that of the capacity, kept as running
/// integrals instead of asked from a database. Plain values, so that it can be stored.
struct UsageHistory {
  Duration half_life{0};
  std::optional<Time> at;  ///< until when it is counted
  Amounts capacity;        ///< decayed amount-seconds that there were
  std::map<QueueName, Amounts> held;

  bool operator==(const UsageHistory&) const = default;
};

/// Counts the time since the history's last, during which every queue held what its `allocated`
/// says and the cluster had `total`. The first call, and one that goes back in time, only set the
/// clock. Queues that are gone fade out.
void advance(UsageHistory& history, const QueueTree& tree, const Amounts& total, Time now);

/// Sets each queue's usage: the part of the cluster that it had, 0 to 1; 0 where nothing is known.
void apply_usage(const UsageHistory& history, QueueTree& tree);

}  // namespace dray::policy
