#pragma once

#include <span>
#include <vector>

#include "planner/evict/reprieve.h"
#include "planner/place/decisions.h"
#include "planner/state/context.h"
#include "planner/state/job_order.h"

namespace dray::planner {

/// Victims of one job may turn out to be needless once those of a later one have gone: where a
/// queue's limit was in the way, any of its jobs would have done. When all room is made, victims
/// stay that can where they are, the first served first.
class LateReprieve {
 public:
  LateReprieve(const PlanContext& context, JobTable& jobs, Overlay& overlay, Placer& placer,
               Decisions& decisions);

  /// Takes those who stay out of the evictions.
  void run(std::vector<Eviction>& evictions);

 private:
  [[nodiscard]] std::vector<PlanJob*> victims(std::span<const Eviction> evictions) const;
  void stay(PlanJob& job, std::span<Task* const> tasks, std::vector<Eviction>& evictions);

  JobTable& jobs_;
  Overlay& overlay_;
  Decisions& decisions_;
  Reprieve reprieve_;
  JobOrder order_;
};

}  // namespace dray::planner
