#include "planner/plan_memory.h"

#include <limits>
#include <utility>

#include "dray/policy/fair_share.h"
#include "planner/device_policy.h"
#include "planner/state/context.h"

namespace dray::planner {

alloc::Allocator::Counts PlanMemory::allocator_counts() const {
  auto sum = allocator_.counts();
  sum.calls += counts_before_.calls;
  sum.searches += counts_before_.searches;
  sum.steps += counts_before_.steps;
  return sum;
}

/// The allocator follows the policy; what that leaves open is as it was at first.
void PlanMemory::follow(const policy::PolicyConfig& config) {
  auto options = allocator_.options();  // with the state of its share ids
  options.alignment = alignment_;
  options.shares = shares_;
  options = with_policy(std::move(options), config);
  const auto& now = allocator_.options();
  if (options.alignment == now.alignment && options.shares == now.shares) return;
  counts_before_ = allocator_counts();
  allocator_ = alloc::Allocator(std::move(options));
}

/// Its rules, from now on: verdicts by others are forgotten.
const policy::Policy& PlanMemory::go_by(const PlanInput& input) {
  const auto& policy = policy_of(input);
  const auto& snapshot = *input.snapshot;
  if (verdicts_of_ != &policy || origin_ != snapshot.origin() ||
      class_epoch_ != snapshot.class_epoch()) {
    verdicts_.clear();
    rankings_.clear();
    feasibility_.clear();
  }
  if (verdicts_of_ != &policy) follow(policy.config);
  verdicts_of_ = &policy;
  origin_ = snapshot.origin();
  class_epoch_ = snapshot.class_epoch();
  return policy;
}

bool PlanMemory::read_ahead(const PlanInput& input, std::size_t most) {
  const auto& policy = go_by(input);
  jobs_.estimate_by(nodes_.offers(), allocator_.options().features);
  return nodes_.read_ahead(input.snapshot, policy, most) || jobs_.read_ahead(input, policy, most);
}

void PlanMemory::set_aside_infeasible(const PlanInput& input) {
  const auto* carried = input.progress.get();
  const bool any = carried != nullptr && sets_infeasible_aside(input, policy_of(input).config);
  Feasibility feasibility(input.snapshot, nodes_, allocator_, feasibility_);
  jobs_.set_aside(any ? carried->infeasible : nullptr, nodes_.hardware_changes(),
                  [&](PlanJob& job) {
                    constexpr auto all = std::numeric_limits<std::size_t>::max();
                    const auto found = feasibility.check(job, all);
                    return found && found->lasting;
                  });
}

PlanStart PlanMemory::start(const PlanInput& input) {
  const auto& policy = go_by(input);
  // What jobs may take is estimated by what nodes offer.
  nodes_.update(input.snapshot, policy);
  jobs_.estimate_by(nodes_.offers(), allocator_.options().features);
  jobs_.update(input, policy);
  set_aside_infeasible(input);
  PlanStart start{policy.queues, {}};
  jobs_.count(start.queues);
  for (const auto& [queue, amounts] : input.unlisted) {
    if (const auto leaf = start.queues.find(queue.get())) {
      start.queues.add_requested(*leaf, amounts);
    }
  }
  start.total = nodes_.free_total(jobs_.tolerations()) + jobs_.held();
  if (input.usage) policy::apply_usage(*input.usage, start.queues);
  policy::divide(start.queues, start.total, policy.config.fairness.strength);
  return start;
}

}  // namespace dray::planner
