#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "planner/place/domains.h"
#include "planner/place/member_devices.h"
#include "planner/place/node_choice.h"

namespace dray::planner {

/// A member with its place.
struct Placed {
  Task* task = nullptr;
  Placement placement;
  Room room = Room::idle;
  std::vector<std::string> warnings = {};
  ChosenFor chosen = {};
};

/// Why a chunk found no room.
struct NoRoom {
  const Task* task = nullptr;  ///< that found no node
  std::size_t placed = 0;      ///< others had found theirs
  bool no_domain = false;      ///< no single domain could take the group
  bool nowhere = false;        ///< no node takes such a pod, whoever asks for it first
  std::vector<cluster::NodeIndex> among = {};
  BarredNodes barred = {};
  /// Nodes have devices, but its queue may not have so many: the refusal that lacks least.
  std::optional<policy::CapacityRefusal> over = {};
};

/// Places the chunk of a job, all of it or nothing: group by group, each in one domain where it
/// asks for that, members together.
class GangPlacer {
 public:
  GangPlacer(JobTable& jobs, Fit& fit, Devices& devices, NodeChoice& choice, Domains& domains,
             Overlay& overlay)
      : fit_(fit),
        devices_(devices),
        choice_(choice),
        domains_(domains),
        overlay_(overlay),
        members_(jobs, devices, overlay, fit) {}

  /// Where the overlay holds them from now on; without room it is as it was. What they take by
  /// their devices is within what their queue may get, and within `most`, if that is not null.
  /// `room`: releasing room will do as well.
  [[nodiscard]] std::expected<std::vector<Placed>, NoRoom> place(
      PlanJob& job, std::span<const std::uint32_t> chunk, const NodeSet& among, Room room,
      const policy::Amounts* most = nullptr);
  /// Idle devices for members on one node, within what their queue may get.
  [[nodiscard]] std::expected<MemberChoice, NoMemberChoice> choose(
      const PlanJob& job, std::span<const Task* const> tasks, cluster::NodeIndex node) {
    return members_.choose(tasks, node, Room::idle, ChunkBounds(overlay_, job, tasks, nullptr));
  }

 private:
  class Run;

  Fit& fit_;
  Devices& devices_;
  NodeChoice& choice_;
  Domains& domains_;
  Overlay& overlay_;
  MemberDevices members_;
};

}  // namespace dray::planner
