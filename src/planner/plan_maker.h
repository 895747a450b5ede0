#pragma once

#include <vector>

#include "planner/make_room.h"
#include "planner/plan_memory.h"
#include "planner/serve_jobs.h"

namespace dray::planner {

/// Makes one plan: reads the input into the memory, lets go what leaves, serves waiting jobs from
/// what is free, makes room for others, and ends stale gangs. Each step builds on the decisions of
/// those before it.
class PlanMaker {
 public:
  PlanMaker(const PlanInput& input, PlanMemory& memory);
  PlanMaker(const PlanMaker&) = delete;
  PlanMaker& operator=(const PlanMaker&) = delete;

  [[nodiscard]] Plan make();
  /// See Planner.
  [[nodiscard]] std::vector<Reason> verdicts(const Uid& job);

 private:
  [[nodiscard]] std::vector<QueueReport> report_queues() const;
  void release_leaving_pods();
  void release_leaving_claims();
  [[nodiscard]] std::vector<PlanJob*> waiting_jobs();
  [[nodiscard]] bool is_ready(PlanJob& job);
  [[nodiscard]] Reason lacks(const PlanJob& job) const;
  [[nodiscard]] bool evicts() const;

  const PlanInput& input_;
  JobTable& jobs_;
  PlanStart start_;
  const PlanContext context_;
  Overlay overlay_;
  Placer placer_;
  Decisions decisions_;
};

}  // namespace dray::planner
