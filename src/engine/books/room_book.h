#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/cluster/state.h"
#include "dray/planner/plan.h"

namespace dray::engine {

/// Room that is promised but not free yet: held for jobs until its victims are gone, kept for one
/// that has waited for long until those who run there have ended, kept for jobs that were moved
/// until their pods are made anew, and devices of claims whose pod has ended.
class RoomBook {
 public:
  /// How long room is kept for the pods that a controller makes in place of those that were moved.
  static constexpr Duration moved_room_life = std::chrono::minutes(1);
  /// Devices of a pod that ended so long ago are not on their way to anybody.
  static constexpr Duration leaving_patience = std::chrono::minutes(2);

  explicit RoomBook(cluster::ClusterState& cluster) : cluster_(cluster) {}

  /// What the last plan holds for the job; nothing ends it.
  void hold(const Uid& job, std::vector<Placement> placements);
  void end_hold(const Uid& job) { holds_.erase(job); }
  [[nodiscard]] bool holds(const Uid& job) const { return holds_.contains(job); }
  [[nodiscard]] std::vector<planner::Hold> holds() const;

  /// What the last plan keeps for a job that has waited for long.
  void keep(std::optional<planner::KeptRoom> room);
  /// Null: nothing.
  [[nodiscard]] const std::shared_ptr<const planner::KeptRoom>& kept() const { return kept_; }

  /// The job of that lineage was moved to these places.
  void moved(const std::string& lineage, std::vector<Placement> placements, Time now);

  /// Before a plan: holds of jobs that are gone end, and a job that was moved and is back gets the
  /// room that was meant for it.
  void refresh(const planner::JobList& jobs, Time now);

  /// A member of the job has finished, or is gone. The room that it leaves is whole only when its
  /// claims have lost their devices as well, which a controller does later: who waits for that room
  /// must not think that it is somebody else's.
  void pod_finished(const planner::Job& job, const Pod& pod, Time now);
  void pod_gone(const planner::Job& job, const Uid& pod, Time now);
  /// Those of such claims that have devices still, and no other user; sorted by claim.
  [[nodiscard]] std::vector<planner::LeavingClaim> leaving_claims(Time now);

  /// Leadership changed: what was planned is not held any more.
  void reset();

 private:
  struct Moved {
    std::vector<Placement> placements;
    Time until;
  };
  struct Left {
    Uid claim;
    Uid user;
    NodeName node;
    Time until;
  };

  void leave(const Pod& pod, Time now);

  cluster::ClusterState& cluster_;
  std::map<Uid, std::vector<Placement>> holds_;  ///< by job
  std::shared_ptr<const planner::KeptRoom> kept_;
  /// By lineage, the first one moved first: pods of one workload may be jobs by themselves.
  std::multimap<std::string, Moved> moved_;
  std::map<ClaimKey, Left> leaving_;  ///< claims whose only user, a pod, has ended
};

}  // namespace dray::engine
