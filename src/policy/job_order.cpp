#include "dray/policy/job_order.h"

#include <algorithm>
#include <limits>

namespace dray::policy {

std::strong_ordering compare_jobs(const JobRank& left, const JobRank& right) {
  if (const auto o = right.priority <=> left.priority; o != 0) return o;
  if (const auto o = left.phase <=> right.phase; o != 0) return o;
  if (const auto o = left.created <=> right.created; o != 0) return o;
  return left.uid <=> right.uid;
}

std::int32_t aged_priority(std::int32_t priority, Duration waited, std::optional<Duration> aging) {
  if (!aging || aging->count() <= 0 || waited.count() <= 0) return priority;
  constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
  const auto periods = std::min<std::int64_t>(waited / *aging, highest);
  return static_cast<std::int32_t>(std::min(priority + periods, highest));
}

}  // namespace dray::policy
