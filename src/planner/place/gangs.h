#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/place/domains.h"

namespace dray::planner {

/// A member with its place.
struct Placed {
  PlanTask* task = nullptr;
  Placement placement;
  bool now = true;
  std::vector<std::string> warnings = {};
  std::string_view why = {};  ///< this node, for people
  std::size_t among = 0;      ///< so many
};

/// Places the chunk of a job, all of it or nothing: group by group, each in one domain where it
/// asks for that, members together.
class PlanPlace {
 public:
  PlanPlace(PlanFit& fit, PlanDomains& domains, PlanOverlay& overlay)
      : fit_(fit), domains_(domains), overlay_(overlay) {}

  /// Empty: it does not fit, and the overlay is as it was. `soon`: room that is only free soon
  /// will do.
  [[nodiscard]] std::vector<Placed> place(PlanJob& job, std::span<const std::uint32_t> chunk,
                                          const NodeSet& among, bool soon);

  /// Of the last place() that found nothing.
  struct Failure {
    PlanTask* task = nullptr;  ///< that found no node
    std::size_t placed = 0;    ///< others had found theirs
    bool no_domain = false;
    std::vector<cluster::NodeIndex> among;
  };
  [[nodiscard]] const Failure& failure() const { return failure_; }

 private:
  using Tasks = std::vector<PlanTask*>;
  template <class Part, class Place>
  bool place_part(const Part& part, const NodeSet& among, const Place& place);
  bool place_group(const policy::SubGroup& group, const NodeSet& among);
  bool place_members(const policy::SubGroup& group, const NodeSet& among);
  bool place_set(const policy::PodSet& set, const NodeSet& among);
  bool place_tasks(const Tasks& tasks, const NodeSet& among);
  [[nodiscard]] bool too_many_users(const PlanTask& task) const;
  bool place_one(PlanTask& task, const NodeSet& among);
  bool place_jointly(Tasks tasks, const NodeSet& among);
  bool assign(std::span<PlanTask* const> tasks, std::span<const cluster::NodeIndex> nodes);
  bool put_together(std::span<PlanTask* const> tasks, cluster::NodeIndex node);
  [[nodiscard]] Tasks wanted_in(const policy::SubGroup& group) const;
  [[nodiscard]] Tasks wanted_in(const policy::PodSet& set) const;
  void taken_in(const policy::SubGroup& group, std::vector<cluster::NodeIndex>& nodes) const;
  void taken_in(const policy::PodSet& set, std::vector<cluster::NodeIndex>& nodes) const;
  void undo(PlanOverlay::Mark mark, std::size_t placed);

  PlanFit& fit_;
  PlanDomains& domains_;
  PlanOverlay& overlay_;
  PlanJob* job_ = nullptr;
  std::vector<char> wanted_;  ///< by task
  bool soon_ = false;
  std::vector<Placed> placed_;
  Failure failure_;
  PlanOverlay::Mark joint_mark_ = 0;
  std::size_t joint_before_ = 0;
};

}  // namespace dray::planner
