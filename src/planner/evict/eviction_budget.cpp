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

bool EvictionBudget::allows(std::span<const Victims> victims) {
  if (!disruptions_allow(victims)) return false;
  const auto bound = context_.policy.config.budgets.evictions_per_queue;
  std::size_t pods = 0;
  std::map<policy::QueueIndex, std::int64_t> of_queues;
  for (const auto& chunk : victims) {
    const auto running = std::ranges::count_if(
        chunk.tasks, [](const auto* task) { return !task->placed_by_plan(); });
    pods += static_cast<std::size_t>(running);
    if (bound) of_queues[*chunk.job->queue] += running;
  }
  bool too_large = false;
  const auto fits = [&](std::size_t before, std::size_t more, std::size_t most) {
    if (more == 0 || before + more <= most) return true;
    const bool first = before == 0 && most > 0;
    too_large = too_large || first;
    return first && oversized_;
  };
  const bool queues_allow = std::ranges::all_of(of_queues, [&](const auto& of_queue) {
    return fits(static_cast<std::size_t>(evictions_of_[of_queue.first.get()]),
                static_cast<std::size_t>(of_queue.second), static_cast<std::size_t>(*bound));
  });
  if (queues_allow && fits(evicted_.size(), pods, context_.input.budget.evictions)) return true;
  exhausted_ = exhausted_ || !evicted_.empty();
  refused_by_size_ = refused_by_size_ || (too_large && !oversized_);
  return false;
}

/// Whether each disruption budget has so many left.
bool EvictionBudget::disruptions_allow(std::span<const Victims> victims) const {
  if (disruption_budgets_of_.empty()) return true;
  std::vector<std::int64_t> used(disruptions_left_.size(), 0);
  for (const auto& chunk : victims) {
    for (const auto* task : chunk.tasks) {
      const auto budgets = disruption_budgets_of_.find(task->pod().meta.uid);
      if (task->moved || budgets == disruption_budgets_of_.end()) continue;
      for (const auto i : budgets->second) {
        if (++used[i] > disruptions_left_[i]) return false;
      }
    }
  }
  return true;
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
