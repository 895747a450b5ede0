#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "planner/place/domains.h"
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
};

/// Places the chunk of a job, all of it or nothing: group by group, each in one domain where it
/// asks for that, members together.
class GangPlacer {
 public:
  GangPlacer(Fit& fit, Devices& devices, NodeChoice& choice, Domains& domains, Overlay& overlay)
      : fit_(fit), devices_(devices), choice_(choice), domains_(domains), overlay_(overlay) {}

  /// Where the overlay holds them from now on; without room it is as it was. `room`: releasing room
  /// will do as well.
  [[nodiscard]] std::expected<std::vector<Placed>, NoRoom> place(
      PlanJob& job, std::span<const std::uint32_t> chunk, const NodeSet& among, Room room);

 private:
  class Run;

  Fit& fit_;
  Devices& devices_;
  NodeChoice& choice_;
  Domains& domains_;
  Overlay& overlay_;
};

}  // namespace dray::planner
