#include "planner/evict/eviction_budget.h"

#include <algorithm>

namespace dray::planner {

EvictionBudget::EvictionBudget(const PlanContext& context) : context_(context) {
  const auto& budgets = context.input.disruption_budgets;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    disruptions_left_.push_back(budgets[i].allowed);
    for (const auto& pod : budgets[i].pods) disruption_budgets_of_[pod].push_back(i);
  }
  evictions_of_.assign(context.policy.queues.queues().size(), 0);
}

bool EvictionBudget::allows(std::span<const Victims> victims) const {
  std::size_t pods = 0;
  std::vector<std::int64_t> used(disruptions_left_.size(), 0);
  const auto bound = context_.policy.config.budgets.evictions_per_queue;
  auto by_queue = bound ? evictions_of_ : std::vector<std::int64_t>();
  for (const auto& chunk : victims) {
    const auto running = static_cast<std::size_t>(std::ranges::count_if(
        chunk.tasks, [](const auto* task) { return !task->placed_by_plan(); }));
    pods += running;
    if (bound) {
      auto& of_queue = by_queue[chunk.job->queue->get()];
      of_queue += static_cast<std::int64_t>(running);
      if (of_queue > *bound) return false;
    }
    if (disruption_budgets_of_.empty()) continue;
    for (const auto* task : chunk.tasks) {
      const auto budgets = disruption_budgets_of_.find(task->pod().meta.uid);
      if (task->moved || budgets == disruption_budgets_of_.end()) continue;
      for (const auto i : budgets->second) {
        if (++used[i] > disruptions_left_[i]) return false;
      }
    }
  }
  return evicted_.size() + pods <= context_.input.budget.evictions;
}

void EvictionBudget::spend(std::span<const Victims> victims) {
  for (const auto& chunk : victims) {
    for (const auto* task : chunk.tasks) {
      if (task->just_placed() || !evicted_.insert(task).second) continue;
      ++evictions_of_[chunk.job->queue->get()];
      const auto budgets = disruption_budgets_of_.find(task->pod().meta.uid);
      if (budgets == disruption_budgets_of_.end()) continue;
      for (const auto i : budgets->second) --disruptions_left_[i];
    }
  }
}

}  // namespace dray::planner
