#pragma once

#include <optional>

#include "dray/planner/plan.h"
#include "dray/policy/policy.h"

namespace dray::planner {

/// What every step of a plan reads and none changes.
struct PlanContext {
  const PlanInput& input;
  const policy::Policy& policy;  ///< the input's, or Policy::open()
  const policy::Amounts& total;  ///< what the cluster has of the counted resources
};

/// The earliest of some times that are yet to come.
class Earliest {
 public:
  explicit Earliest(Time now) : now_(now) {}

  /// Time::max() is never.
  void add(Time time) {
    if (time > now_ && time != Time::max() && (!time_ || time < *time_)) time_ = time;
  }
  void add(std::optional<Time> time) {
    if (time) add(*time);
  }
  [[nodiscard]] std::optional<Time> get() const { return time_; }

 private:
  Time now_;
  std::optional<Time> time_;
};

}  // namespace dray::planner
