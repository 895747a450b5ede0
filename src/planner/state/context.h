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

/// Whether the plan may evict or move others for a job.
[[nodiscard]] inline bool evicts(const PlanContext& context) {
  const auto& actions = context.input.actions;
  const auto& config = context.policy.config;
  return (actions.consolidate && config.consolidation.enabled) ||
         (actions.reclaim && config.reclaim.enabled) ||
         (actions.preempt && config.preemption.enabled);
}

/// Whether jobs that no node could take are reported once, and set aside then. They are not where
/// nodes may come for them: who asks for these reads them in each plan.
[[nodiscard]] inline bool sets_infeasible_aside(const PlanInput& input,
                                                const policy::PolicyConfig& config) {
  return !input.only && input.actions.place && config.budgets.exposed_jobs <= 0;
}

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
