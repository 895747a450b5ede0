#pragma once

#include <cstdint>

#include "dray/base/time.h"

// Sums of times that people configure: what lies beyond the last moment that a Time can name is
// that moment, and never one long ago.

namespace dray {

/// `start + span`, not beyond what a Time can name on either side.
[[nodiscard]] constexpr Time saturating_add(Time start, Duration span) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(start.time_since_epoch().count(), span.count(), &sum)) {
    return Time(Duration(sum));
  }
  return span.count() > 0 ? Time::max() : Time::min();
}

/// The same of two spans.
[[nodiscard]] constexpr Duration saturating_add(Duration a, Duration b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a.count(), b.count(), &sum)) return Duration(sum);
  return b.count() > 0 ? Duration::max() : Duration::min();
}

/// So many whole seconds, not beyond what a Duration can hold.
[[nodiscard]] constexpr Duration saturating_seconds(std::int64_t seconds) {
  std::int64_t micros = 0;
  if (!__builtin_mul_overflow(seconds, std::int64_t{1'000'000}, &micros)) return Duration(micros);
  return seconds > 0 ? Duration::max() : Duration::min();
}

}  // namespace dray
