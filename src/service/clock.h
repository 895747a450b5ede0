#pragma once

#include <chrono>

#include "dray/base/time.h"

namespace dray::service {

/// Wall time that never goes backwards nor jumps: the time of day at its making, carried on by the
/// monotonic clock. The engine's `now`, and the lease's.
class Clock {
 public:
  [[nodiscard]] Time now() const {
    return start_ +
           std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - steady_);
  }
  /// The monotonic moment of `time`, for timers.
  [[nodiscard]] std::chrono::steady_clock::time_point steady(Time time) const {
    return steady_ + (time - start_);
  }

 private:
  Time start_ = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  std::chrono::steady_clock::time_point steady_ = std::chrono::steady_clock::now();
};

}  // namespace dray::service
