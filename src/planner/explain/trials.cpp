#include "planner/explain/trials.h"

#include <algorithm>
#include <utility>

#include "dray/cluster/snapshot.h"

namespace dray::planner {
namespace {

/// With so many every trial is a plan as the service makes it.
constexpr std::size_t few_jobs = 256;
/// Nodes or jobs that are read between two looks at whether to stop.
constexpr std::size_t read_at_once = 256;

}  // namespace

Trials::Trials(const PlanInput& input, const alloc::AllocatorOptions& options, std::stop_token stop)
    : a_plan_(input.jobs.size() + input.snapshot->node_count()),
      many_jobs_(input.jobs.size() > few_jobs),
      stop_(std::move(stop)),
      planner_(options) {}

Plan Trials::plan(const PlanInput& input, JobWatch& watch) {
  while (!stopped() && planner_.read_ahead(input, read_at_once)) {
  }
  return make(input, watch, 0);
}

Plan Trials::try_out(const PlanInput& changed, JobWatch& watch, std::size_t cost) {
  return make(changed, watch, cost * a_plan_);
}

Plan Trials::try_free_room(PlanInput changed, JobWatch& watch) {
  if (!many_jobs_) return make(changed, watch, a_plan_);
  changed.actions.consolidate = changed.actions.reclaim = changed.actions.preempt = false;
  watch.ends_with_turn = true;
  return make(changed, watch, a_plan_);
}

bool Trials::may_try(std::size_t plans) const {
  return !stopped() && plans * a_plan_ <= left_;
}

std::size_t Trials::plans_of_free_room() const {
  return stopped() ? 0 : left_ / 2 / std::max<std::size_t>(a_plan_, 1);
}

Plan Trials::make(const PlanInput& input, JobWatch& watch, std::size_t cost) {
  if (stopped()) return {};
  watch.job_alone = many_jobs_;
  watch.stop = stop_;
  left_ -= std::min(left_, cost);
  work_.cost += cost;
  ++work_.plans;
  auto plan = planner_.plan(input, &watch);
  work_.nodes_tried += plan.nodes_tried;
  work_.scenarios += plan.scenarios;
  return plan;
}

}  // namespace dray::planner
