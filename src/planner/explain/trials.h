#pragma once

#include <cstddef>
#include <stop_token>

#include "dray/planner/explain_until.h"
#include "dray/planner/job_watch.h"

namespace dray::planner {

/// Makes the plans of one explanation within a bound that depends on the cluster's size alone.
/// Where many jobs are, evictions are looked for only for the job that is explained: victims for
/// all jobs that wait cost most of a plan.
class Trials {
 public:
  Trials(const PlanInput& input, const alloc::AllocatorOptions& options, std::stop_token stop);

  /// The plan that is explained. `watch.job` is set.
  [[nodiscard]] Plan plan(const PlanInput& input, JobWatch& watch);
  /// What trials cost, in plans of free room.
  static constexpr std::size_t with_evictions = 2;
  static constexpr std::size_t of_another_policy = 6;

  /// One of a changed input. Ask may_try(cost) first.
  [[nodiscard]] Plan try_out(const PlanInput& changed, JobWatch& watch, std::size_t cost);
  /// The same for whether the job gets free room; where jobs are few, evictions count as well.
  [[nodiscard]] Plan try_free_room(PlanInput changed, JobWatch& watch);

  /// Whether as many plans more may be made of free room.
  [[nodiscard]] bool may_try(std::size_t plans = 1) const;
  /// The plans of free room that are left, with a part kept for other trials.
  [[nodiscard]] std::size_t plans_of_free_room() const;
  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }
  /// Something was not tried because of the bound.
  [[nodiscard]] bool was_cut_short() const { return cut_short_; }
  void cut_short() { cut_short_ = true; }
  [[nodiscard]] const ExplainWork& work() const { return work_; }

 private:
  [[nodiscard]] Plan make(const PlanInput& input, JobWatch& watch, std::size_t cost);

  std::size_t a_plan_;  ///< cost of one
  bool many_jobs_;
  std::stop_token stop_;
  Planner planner_;
  ExplainWork work_;
  std::size_t left_ = most_explain_cost;
  bool cut_short_ = false;
};

}  // namespace dray::planner
