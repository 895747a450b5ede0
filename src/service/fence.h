#pragma once

#include <atomic>
#include <limits>

#include "dray/base/time.h"

namespace dray::service {

/// Until when writes may be sent. Set by leadership, read just before each write. Any thread.
class Fence {
 public:
  void open_until(Time time) { until_ = time.time_since_epoch().count(); }
  void open_for_good() { until_ = std::numeric_limits<Time::rep>::max(); }
  void close() { until_ = std::numeric_limits<Time::rep>::min(); }
  [[nodiscard]] bool open(Time now) const { return now.time_since_epoch().count() < until_; }

 private:
  std::atomic<Time::rep> until_{std::numeric_limits<Time::rep>::min()};
};

}  // namespace dray::service
