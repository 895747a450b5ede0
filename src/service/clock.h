#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>

#include "dray/base/time.h"

namespace dray::service {

/// Wall time that does not follow changes of the system's clock: the time of day when it was made,
/// advanced by CLOCK_BOOTTIME. That clock goes on while the machine is suspended, and the monotonic
/// one does not: a leader that was suspended finds its term over. The engine's `now`, and the
/// Lease's.
class Clock {
 public:
  [[nodiscard]] Time now() const { return start_ + (since_boot() - boot_); }
  /// The monotonic moment of `time`, for timers that are armed now.
  [[nodiscard]] std::chrono::steady_clock::time_point steady(Time time) const {
    // A steady clock has nanoseconds: what is further away than it can name is looked at again.
    constexpr Duration furthest = std::chrono::hours(24 * 365 * 100);
    return std::chrono::steady_clock::now() + std::min<Duration>(time - now(), furthest);
  }

 private:
  [[nodiscard]] static Duration since_boot() {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                                std::chrono::nanoseconds(time.tv_nsec));
  }

  Time start_ = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  Duration boot_ = since_boot();
};

}  // namespace dray::service
