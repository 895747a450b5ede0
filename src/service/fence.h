#pragma once

#include <atomic>
#include <limits>

#include "dray/base/time.h"

namespace dray::service {

/// Until when writes may be sent. Set by leadership, read right before the bytes of each write go
/// out. Any thread.
class Fence {
 public:
  void open_until(Time time) { until_ = time.time_since_epoch().count(); }
  void open_for_good() { until_ = std::numeric_limits<Time::rep>::max(); }
  void close() { until_ = std::numeric_limits<Time::rep>::min(); }
  /// Whatever is said later, it stays closed: dray has found a fault of its own.
  void shut() { shut_ = true; }
  [[nodiscard]] bool open(Time now) const {
    return !shut_ && now.time_since_epoch().count() < until_;
  }

 private:
  std::atomic<Time::rep> until_{std::numeric_limits<Time::rep>::min()};
  std::atomic<bool> shut_{false};
};

}  // namespace dray::service
