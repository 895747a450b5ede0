#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "planner/evict/scenario.h"
#include "planner/state/context.h"

namespace dray::planner {

/// How many pods a plan may still evict: by its own budget, by the policy's for each queue, and by
/// disruption budgets.
class EvictionBudget {
 public:
  explicit EvictionBudget(const PlanContext& context);

  /// Whether all of them may go as well. Pods that only this plan placed cost nothing but in a
  /// disruption budget, and those that it has moved nothing more.
  [[nodiscard]] bool allows(std::span<const Victims> victims) const;
  /// They go.
  void spend(std::span<const Victims> victims);

 private:
  const PlanContext& context_;
  std::map<Uid, std::vector<std::size_t>> disruption_budgets_of_;  ///< of a pod, by place
  std::vector<std::int64_t> disruptions_left_;
  std::vector<std::int64_t> evictions_of_;  ///< by queue
  std::set<const Task*> evicted_;
};

}  // namespace dray::planner
