#include "dray/policy/job_order.h"

#include <algorithm>
#include <limits>

namespace dray::policy {

std::int32_t aged_priority(std::int32_t priority, Duration waited, std::optional<Duration> aging) {
  if (!aging || aging->count() <= 0 || waited.count() <= 0) return priority;
  constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
  const auto periods = std::min<std::int64_t>(waited / *aging, highest);
  return static_cast<std::int32_t>(std::min(priority + periods, highest));
}

}  // namespace dray::policy
