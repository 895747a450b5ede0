#pragma once

#include <cstdint>
#include <span>

#include "dray/base/time.h"
#include "dray/policy/amounts.h"
#include "dray/policy/queue_tree.h"

namespace dray::policy {

/// One of several queues among which one resource is divided.
struct Claimant {
  double quota = 0;
  double limit = unlimited;
  double weight = 1;
  double requested = 0;
  double usage = 0;  ///< part of the cluster that it had over time, 0 to 1
  std::int32_t priority = 0;
  Time created;
  std::uint32_t rank = 0;  ///< the last tie-break: the place in the order of names

  double share = 0;  ///< the answer
};

/// Divides `total` of one resource; sets each share and returns what nobody got. KAI's division
/// (pkg/scheduler/plugins/proportion/resource_division): first each one's quota, as far as it asks
/// for it and not scaled down where quotas exceed the total; then, priority by priority, the rest
/// by weight in whole units (device, millicore, byte), `k` pulling against past usage; then what
/// the rounding left over, one unit each, to the largest fractions. KAI walks a map at random; here
/// the walk is by what the claimants say, so that names decide nothing but the last tie.
double divide(double total, double k, std::span<Claimant> claimants);

/// Sets the fair share of every queue: the top queues divide `total`, children what their parent
/// got. Orphans get nothing.
void divide(QueueTree& tree, const Amounts& total, double k);

}  // namespace dray::policy
