#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/planner/job_watch.h"
#include "dray/policy/capacity.h"
#include "planner/place/decisions.h"
#include "planner/place/feasibility.h"
#include "planner/place/placer.h"
#include "planner/state/context.h"
#include "planner/state/job_order.h"
#include "planner/turns.h"

namespace dray::planner {

/// What placing jobs came to, besides the decisions.
struct Served {
  /// Where the other actions may place jobs: not on nodes that are kept for one that waits long.
  NodeSet open_nodes;
  std::size_t refused_early = 0;  ///< jobs that a queue's bound refused without a search
  std::optional<Time> again_at;   ///< when nodes are to be kept for a job
};

/// Places waiting jobs on what is free, in their order (KAI's action allocate).
class ServeJobs {
 public:
  /// `watch` is told of its job; it may be null.
  ServeJobs(const PlanContext& context, const JobTable& jobs, Overlay& overlay, Placer& placer,
            Decisions& decisions, Turns& turns, Feasibility& feasibility,
            JobWatch* watch = nullptr);

  /// First the jobs for which an earlier plan holds room, then, if `place`, all of `waiting`.
  [[nodiscard]] Served run(std::span<PlanJob* const> waiting, bool place);

 private:
  void serve_holds(std::span<PlanJob* const> waiting);
  void serve_hold(PlanJob& job, const Hold& hold);
  void serve_all(std::span<PlanJob* const> waiting);
  /// What may still be looked at: jobs that nothing is reserved for, and pairs of pod and node.
  struct Left {
    std::size_t jobs = 0;
    std::size_t nodes = 0;
  };
  Left serve(JobOrder& order, Left left);
  [[nodiscard]] bool serve_chunk(PlanJob& job);
  [[nodiscard]] bool serve_another_chunk(PlanJob& job, const NoRoom& failure, const NodeSet& among);
  void take(PlanJob& job, std::span<const Placed> placed);
  void refuse(const PlanJob& job, const policy::CapacityRefusal& refusal);
  void say_over(const PlanJob& job, const policy::CapacityRefusal& refusal);
  [[nodiscard]] bool report_infeasible(PlanJob& job, std::size_t members, const NoRoom& failure);
  void explain(const PlanJob& job, std::size_t members, const NoRoom& failure);
  [[nodiscard]] bool watched(const PlanJob& job) const {
    return watch_ != nullptr && watch_->job == job.job->uid;
  }
  void show(std::size_t members, const NoRoom& failure, std::string text);
  void keep_nodes(PlanJob& job, std::span<const std::uint32_t> chunk);

  const PlanContext& context_;
  const JobTable& jobs_;
  Overlay& overlay_;
  Placer& placer_;
  Decisions& decisions_;
  Turns& turns_;
  Feasibility& feasibility_;
  const PlanJob* kept_for_ = nullptr;  ///< the job that waits long and has nodes to itself
  Earliest again_at_;
  Served served_;
  JobWatch* watch_;
};

}  // namespace dray::planner
