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
  [[nodiscard]] bool allows(std::span<const Victims> victims);
  /// They go.
  void spend(std::span<const Victims> victims);

  /// With `allowed`, a set that is larger than the plan's or a queue's budget is evicted whole if
  /// nothing was evicted before it (of that queue): a gang cannot be evicted in parts, and its size
  /// does not protect it. A budget of 0 still allows nothing.
  void allow_oversized(bool allowed) { oversized_ = allowed; }
  /// Whether a set was refused that allow_oversized() may let pass.
  [[nodiscard]] bool refused_by_size() const { return refused_by_size_; }
  /// From here on refused_by_size() and exhausted() are of another search.
  void begin_search() { exhausted_ = refused_by_size_ = false; }
  /// Whether the search was refused victims that the next plan may evict, because this one has
  /// evicted others already.
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  [[nodiscard]] bool disruptions_allow(std::span<const Victims> victims) const;

  const PlanContext& context_;
  std::map<Uid, std::vector<std::size_t>> disruption_budgets_of_;  ///< of a pod, by place
  std::vector<std::int64_t> disruptions_left_;
  std::vector<std::int64_t> evictions_of_;  ///< by queue
  std::set<const Task*> evicted_;
  bool oversized_ = false;
  bool refused_by_size_ = false;
  bool exhausted_ = false;
};

}  // namespace dray::planner
