#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "dray/base/time.h"
#include "dray/model/ids.h"
#include "dray/policy/gang.h"

namespace dray::policy {

/// Where a job stands among those of its queue.
struct JobRank {
  std::int32_t priority = 0;
  GangPhase phase = GangPhase::below_minimum;
  Time created;
  Uid uid;

  bool operator==(const JobRank&) const = default;
};

/// `less` where the left job is served first: higher priority, then further from its minimum, then
/// older, then by uid. Victims of one queue come in the reverse order.
[[nodiscard]] std::strong_ordering compare_jobs(const JobRank& left, const JobRank& right);

/// A job's priority with its age: one more for each full `aging` that it waits, if that is set. It
/// orders jobs; who may preempt whom goes by the priority itself.
[[nodiscard]] std::int32_t aged_priority(std::int32_t priority, Duration waited,
                                         std::optional<Duration> aging);

}  // namespace dray::policy
