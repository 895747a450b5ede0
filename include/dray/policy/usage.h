#pragma once

#include <deque>
#include <map>
#include <optional>

#include "dray/base/time.h"
#include "dray/policy/amounts.h"
#include "dray/policy/config_sections.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// Amount-seconds, faded as of the time until which they are counted.
struct UsageSums {
  Amounts capacity;  ///< that there were
  std::map<QueueName, Amounts> held;

  bool operator==(const UsageSums&) const = default;
};

/// What was used in a part of the window, so that it can be taken out when the window moves on.
struct UsagePart {
  Time from;
  Time until;
  UsageSums sums;

  bool operator==(const UsagePart&) const = default;
};

/// What queues had over time, the past counting half as much after each half-life: KAI's
/// `sum_over_time((allocated * 0.5^(age/halfLife))[window])` over that of the capacity, kept as
/// running integrals instead of asked from a database. Plain values, so that it can be stored.
struct UsageHistory {
  Duration half_life{0};        ///< 0: the past does not fade
  Duration window{0};           ///< 0: without an end; where both are 0 nothing is counted
  std::optional<Time> at;       ///< until when it is counted
  UsageSums sums;               ///< of the window
  std::deque<UsagePart> parts;  ///< of `sums`, oldest first; none without a window

  bool operator==(const UsageHistory&) const = default;
};

/// From now on the past fades, and ends, as `fairness` says. What was counted without a window, or
/// by somebody who kept no parts of it, counts as if it had been the same in all of the window.
void remember(UsageHistory& history, const Fairness& fairness);

/// Counts the time since the history's last, during which every queue held what its `allocated`
/// says and the cluster had `total`. The first call only sets the clock; while time goes back
/// nothing is counted until it has reached the history's last again. Queues that are gone fade out.
/// A window's edge is exact to a part of 32 of its length: what was used within such a part is
/// taken out evenly.
void advance(UsageHistory& history, const QueueTree& tree, const Amounts& total, Time now);

/// Of the time until `now` it is not known who held what: the past fades and the window moves, and
/// nothing is counted. A history that ends later than `now`, by a clock that was set since, ends
/// now.
void pass_over(UsageHistory& history, Time now);

/// Adds what was counted beside it, until the same time and of the same resources.
void add(UsageHistory& history, const UsageHistory& more);

/// Sets each queue's usage: the part of the cluster that it had, 0 to 1; 0 where nothing is known.
void apply_usage(const UsageHistory& history, QueueTree& tree);

}  // namespace dray::policy
