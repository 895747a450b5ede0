#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "planner/place/decisions.h"
#include "planner/place/placer.h"
#include "planner/plan_memory.h"
#include "planner/room_search.h"
#include "planner/state/context.h"
#include "planner/state/job_order.h"

namespace dray::planner {

/// Keeps room for one job that has waited for `gangs.reserveAfter` and that others would starve: a
/// gang, or a pod that wants more than what one small pod leaves. The room is reserved on the
/// overlay before anybody is placed, so that it is nobody else's in the whole plan; it is kept from
/// plan to plan until the job starts. Pods that end before it is complete may use it meanwhile.
class RoomKeeper {
 public:
  RoomKeeper(const PlanContext& context, JobTable& jobs, Overlay& overlay, Placer& placer,
             Decisions& decisions, PlanMemory& memory);
  RoomKeeper(const RoomKeeper&) = delete;
  RoomKeeper& operator=(const RoomKeeper&) = delete;

  /// Starts the job for which room is kept if it can start by now; else reserves its room, or room
  /// for another of `waiting`, in the order of uids. A plan that does not `place` jobs, or only on
  /// some nodes, reserves what it is given. The job that starts comes back, or null.
  const PlanJob* begin(std::span<PlanJob* const> waiting, bool place);

  /// Whether room is reserved for another job.
  [[nodiscard]] bool keeps_from(const PlanJob& job) const {
    return kept_.has_value() && kept_->job != &job;
  }
  [[nodiscard]] bool keeps_for(const PlanJob& job) const {
    return kept_.has_value() && kept_->job == &job;
  }
  /// Nodes that the room is on; 0: none is kept.
  [[nodiscard]] std::size_t nodes() const { return kept_ ? kept_->nodes.size() : 0; }
  /// Of these, those that would take the member if the room were not kept.
  [[nodiscard]] std::vector<cluster::NodeIndex> nodes_for(const Task& task);

  /// Whether the node takes a pod that is a job by itself though room is kept for another.
  [[nodiscard]] bool takes(const PlanJob& job, cluster::NodeIndex node);

  /// As Placer::place(), on what is free or being released: for the job itself also on the room
  /// that is kept for it, and for one that ends before it is complete.
  [[nodiscard]] std::expected<std::vector<Placed>, NoRoom> place(
      PlanJob& job, std::span<const std::uint32_t> chunk);
  /// Whether the chunk, which found no room, would have found some if none were kept. If not, the
  /// failure is the one without that.
  [[nodiscard]] bool would_fit(PlanJob& job, std::span<const std::uint32_t> chunk, NoRoom& failure);
  /// The chunk found no room in its turn: room may be kept for it from here on.
  void refused(PlanJob& job, std::span<const std::uint32_t> chunk);

  /// While it lives the room is not reserved.
  class Lifted {
   public:
    explicit Lifted(RoomKeeper& keeper) : keeper_(keeper) { keeper_.lift(); }
    ~Lifted() { keeper_.restore(); }
    Lifted(const Lifted&) = delete;
    Lifted& operator=(const Lifted&) = delete;

   private:
    RoomKeeper& keeper_;
  };
  /// The job has other room now.
  void drop() { kept_.reset(); }

  /// For the next plan.
  [[nodiscard]] std::optional<KeptRoom> kept() const;
  /// When the next job has waited for long enough.
  [[nodiscard]] std::optional<Time> again_at() const { return again_at_.get(); }

 private:
  struct Kept {
    PlanJob* job = nullptr;
    std::vector<Placed> placed;
    std::vector<Uid> in_the_way;
    std::optional<Time> complete;
    Time since;
    std::vector<cluster::NodeIndex> nodes;  ///< sorted
  };

  void reserve_given();
  [[nodiscard]] const PlanJob* resume(std::span<PlanJob* const> waiting);
  [[nodiscard]] std::optional<RoomSearch::Found> find_again(PlanJob& job,
                                                            std::span<const std::uint32_t> chunk);
  void choose();
  void collect_due(std::span<PlanJob* const> waiting);
  [[nodiscard]] bool starts(PlanJob& job, std::span<const std::uint32_t> chunk);
  [[nodiscard]] bool may_have(const PlanJob& job, std::span<const std::uint32_t> chunk) const;
  [[nodiscard]] bool wants(const PlanJob& job, std::span<const std::uint32_t> chunk) const;
  void search_for(PlanJob& job, std::span<const std::uint32_t> chunk);
  [[nodiscard]] bool contested(const PlanJob& job, const RoomSearch::Found& found);
  [[nodiscard]] bool yields(const PlanJob& job, const RoomSearch::Found& found, bool overdue);
  [[nodiscard]] bool overdue(const RoomSearch::Found& found) const;
  [[nodiscard]] bool is_hopeless(const PlanJob& job) const {
    return std::ranges::find(hopeless_, &job) != hopeless_.end();
  }
  [[nodiscard]] bool could_use(PlanJob& job, const RoomSearch::Found& found);
  [[nodiscard]] bool within_quota(const PlanJob& job, const PlanJob& rival) const;
  [[nodiscard]] bool precedes(const PlanJob& a, const PlanJob& b) const;
  [[nodiscard]] bool ends_in_time(const PlanJob& job, std::span<const std::uint32_t> chunk) const;
  [[nodiscard]] Time due(const PlanJob& job) const;
  void keep(PlanJob& job, RoomSearch::Found found);
  [[nodiscard]] RoomSearch& search();
  template <class Look>
  [[nodiscard]] auto without_room(const Look& look);
  void lift();
  void restore();

  const PlanContext& context_;
  JobTable& jobs_;
  Overlay& overlay_;
  Placer& placer_;
  Decisions& decisions_;
  PlanMemory& memory_;
  JobOrder order_;
  std::optional<Kept> kept_;
  std::size_t lifted_ = 0;
  std::vector<std::vector<PlanJob*>> due_;  ///< by leaf queue: the first that have waited for long
  std::size_t searches_ = 0;
  std::vector<const PlanJob*> hopeless_;  ///< for which this plan keeps no room
  std::unique_ptr<RoomSearch> search_;
  Earliest again_at_;
};

}  // namespace dray::planner
