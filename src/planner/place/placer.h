#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <span>
#include <vector>

#include "planner/place/explain.h"
#include "planner/place/gangs.h"
#include "planner/state/context.h"

namespace dray::planner {

/// All that places jobs on an overlay, put together.
class Placer {
 public:
  Placer(const PlanContext& context, JobTable& jobs, Overlay& overlay, alloc::Allocator& allocator,
         NodeVerdicts& verdicts, NodeRankings& rankings);
  Placer(const Placer&) = delete;
  Placer& operator=(const Placer&) = delete;

  /// As GangPlacer::place().
  [[nodiscard]] std::expected<std::vector<Placed>, NoRoom> place(
      PlanJob& job, std::span<const std::uint32_t> chunk, const NodeSet& among, Room room,
      const policy::Amounts* most = nullptr) {
    return gangs_.place(job, chunk, among, room, most);
  }
  /// Idle devices for members of the job on one node, within what its queue may get.
  [[nodiscard]] std::expected<MemberChoice, NoMemberChoice> choose(
      const PlanJob& job, std::span<const Task* const> tasks, cluster::NodeIndex node) {
    return gangs_.choose(job, tasks, node);
  }
  /// Whether some devices that members could get are more than the job's queue may have.
  [[nodiscard]] bool may_exceed(const PlanJob& job, std::span<const Task* const> tasks) const {
    return ChunkBounds(overlay_, job, tasks, nullptr).any();
  }
  /// Why that found no room.
  [[nodiscard]] Refusal why_not(const NoRoom& failure);

  [[nodiscard]] Fit& fit() { return fit_; }
  [[nodiscard]] Domains& domains() { return domains_; }
  [[nodiscard]] NodeChoice& choice() { return choice_; }
  [[nodiscard]] Devices& devices() { return devices_; }

 private:
  /// What was said of pods of a shape; nodes do not change in between.
  struct Said {
    std::vector<cluster::NodeIndex> among;
    Refusal refusal;
  };

  const Overlay& overlay_;
  std::map<std::uint32_t, Said> said_;  ///< by shape
  std::uint64_t said_at_ = 0;           ///< so many changes of nodes
  Devices devices_;
  Fit fit_;
  NodeChoice choice_;
  Domains domains_;
  GangPlacer gangs_;
};

}  // namespace dray::planner
