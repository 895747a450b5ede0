#include "service/log_rate.h"

#include <algorithm>

namespace dray::service {

std::optional<std::uint64_t> LogRate::take(const std::source_location& kind, const Limit& limit,
                                           Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = buckets_.try_emplace({kind.file_name(), kind.line()});
  auto& bucket = at->second;
  if (is_new) {
    bucket.left = limit.burst;
  } else {
    const std::chrono::duration<double> passed = now - bucket.filled_at;
    bucket.left = std::min(limit.burst, bucket.left + passed.count() * limit.a_second);
  }
  bucket.filled_at = now;
  if (bucket.left < 1) {
    ++bucket.suppressed;
    return std::nullopt;
  }
  bucket.left -= 1;
  return std::exchange(bucket.suppressed, 0);
}

}  // namespace dray::service
