#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/planner/job_watch.h"
#include "dray/policy/capacity.h"
#include "planner/place/decisions.h"
#include "planner/place/feasibility.h"
#include "planner/place/placer.h"
#include "planner/room_keeper.h"
#include "planner/state/context.h"
#include "planner/state/job_order.h"
#include "planner/turns.h"

namespace dray::planner {

/// What placing jobs came to, besides the decisions.
struct Served {
  std::size_t refused_early = 0;  ///< jobs that a queue's bound refused without a search
};

/// Places waiting jobs on what is free, in their order (KAI's action allocate).
class ServeJobs {
 public:
  /// `watch` is told of its job; it may be null.
  ServeJobs(const PlanContext& context, const JobTable& jobs, Overlay& overlay, Placer& placer,
            Decisions& decisions, Turns& turns, Feasibility& feasibility, RoomKeeper& keeper,
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
  [[nodiscard]] bool serve_another_chunk(PlanJob& job, const NoRoom& failure);
  void take(PlanJob& job, std::span<const Placed> placed);
  void refuse(const PlanJob& job, const policy::CapacityRefusal& refusal);
  void say_over(const PlanJob& job, const policy::CapacityRefusal& refusal);
  [[nodiscard]] bool report_infeasible(PlanJob& job, std::span<const std::uint32_t> chunk,
                                       const NoRoom& failure);
  void report_alike(std::span<PlanJob* const> waiting);
  void explain(PlanJob& job, std::span<const std::uint32_t> chunk, NoRoom failure);
  void say_no_room(const PlanJob& job, std::size_t members, const NoRoom& failure);
  [[nodiscard]] bool room_is_kept(PlanJob& job, std::span<const std::uint32_t> chunk,
                                  NoRoom& failure);
  [[nodiscard]] bool watched(const PlanJob& job) const {
    return watch_ != nullptr && watch_->job == job.job->uid;
  }
  void show(std::size_t members, NoRoom failure, std::string text);
  /// Whoever watches needs no more of this plan.
  [[nodiscard]] bool is_over() const {
    return watch_ != nullptr && (turn_over_ || watch_->stop.stop_requested());
  }

  const PlanContext& context_;
  const JobTable& jobs_;
  Overlay& overlay_;
  Placer& placer_;
  Decisions& decisions_;
  Turns& turns_;
  Feasibility& feasibility_;
  RoomKeeper& keeper_;
  /// Whether pods of a shape would find room if none were kept, after so many placements.
  struct WouldFit {
    bool fits = false;
    std::size_t at = 0;
  };
  std::map<std::uint32_t, WouldFit> would_fit_;
  std::size_t placements_ = 0;
  std::map<std::uint32_t, std::string> infeasible_;  ///< shapes of single pods, and why they are
  Served served_;
  JobWatch* watch_;
  bool turn_over_ = false;  ///< the watched job has had its turn, and nothing after it is asked
};

}  // namespace dray::planner
