#include <memory>
#include <string_view>
#include <utility>

#include "dray/planner/plan.h"
#include "planner/plan_maker.h"

namespace dray::planner {

struct Planner::State {
  explicit State(const alloc::AllocatorOptions& options) : memory(options) {}
  PlanMemory memory;
};

Planner::Planner(const alloc::AllocatorOptions& options)
    : state_(std::make_unique<State>(options)) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

Plan Planner::plan(const PlanInput& input, JobWatch* watch) {
  return PlanMaker(input, state_->memory).make(watch);
}

bool Planner::read_ahead(const PlanInput& input, std::size_t most) {
  return state_->memory.read_ahead(input, most);
}

std::vector<Reason> Planner::verdicts(const PlanInput& input, const Uid& job) {
  return PlanMaker(input, state_->memory).verdicts(job);
}

Advice Planner::advise(const PlanInput& input, const Uid& job, const Uid& pod) {
  return PlanMaker(input, state_->memory).advise(job, pod);
}

alloc::Allocator::Counts Planner::allocator_counts() const {
  return state_->memory.allocator_counts();
}

std::string_view name(BudgetKind kind) {
  switch (kind) {
    case BudgetKind::jobs:
      return "jobs";
    case BudgetKind::nodes_tried:
      return "nodesTried";
    case BudgetKind::scenarios:
      return "scenarios";
    case BudgetKind::evictions:
      return "evictions";
  }
  std::unreachable();
}

std::string_view name(EvictionCause cause) {
  switch (cause) {
    case EvictionCause::reclaim:
      return "Reclaim";
    case EvictionCause::preemption:
      return "Preemption";
    case EvictionCause::consolidation:
      return "Consolidation";
    case EvictionCause::stale_gang:
      return "StaleGang";
  }
  std::unreachable();
}

}  // namespace dray::planner
