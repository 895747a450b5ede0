#pragma once

#include <vector>

#include "planner/make_room.h"
#include "planner/plan_memory.h"
#include "planner/room_keeper.h"
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

  /// `watch` may be null.
  [[nodiscard]] Plan make(JobWatch* watch = nullptr);
  /// See Planner.
  [[nodiscard]] std::vector<Reason> verdicts(const Uid& job);
  [[nodiscard]] Advice advise(const Uid& job, const Uid& pod);

 private:
  [[nodiscard]] std::vector<QueueReport> report_queues() const;
  void release_leaving_pods();
  void release_leaving_claims();
  [[nodiscard]] std::vector<PlanJob*> waiting_jobs();
  [[nodiscard]] bool is_ready(PlanJob& job);
  [[nodiscard]] Reason lacks(const PlanJob& job, const Task& task) const;
  [[nodiscard]] Reason said_by(cluster::NodeIndex node, const PlanJob& job, const Task& task);
  void hold_room_of_others(const PlanJob& job);
  void judge_kept_nodes(PlanJob& job, std::vector<Reason>& said);
  [[nodiscard]] std::vector<cluster::NodeIndex> judge(PlanJob& job, const Task& task,
                                                      Advice& advice);
  void ask_node_groups(std::vector<JobOutcome>& outcomes, JobWatch* watch);
  [[nodiscard]] std::vector<const Task*> tasks_without_room(PlanJob& job);

  const PlanInput& input_;
  JobTable& jobs_;
  PlanStart start_;
  const PlanContext context_;
  const alloc::AllocatorOptions& options_;
  Overlay overlay_;
  Placer placer_;
  Feasibility feasibility_;
  Decisions decisions_;
  RoomKeeper keeper_;
};

}  // namespace dray::planner
