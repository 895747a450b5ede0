#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "dray/cluster/allocated_state.h"
#include "dray/model/ids.h"
#include "dray/model/reason.h"
#include "dray/policy/capacity.h"

namespace dray::planner {

/// Nodes that refuse a pod for one reason.
struct NodesAlike {
  Reason reason = Reason::none;
  std::string what;           ///< of a node's own reasons: NodeFit::Lack
  std::string text;           ///< what decides, with numbers; of devices also where it is nearest
  std::int64_t left = 0;      ///< of a resource of nodes: the most of one
  NodeName nearest;           ///< of devices and resources: the node that lacks least
  bool free_would_do = true;  ///< false: of devices these nodes have too few, used or free
  std::vector<NodeName> nodes;

  bool operator==(const NodesAlike&) const = default;
};

/// What a plan saw of one waiting job, for an explanation. The decisions are the same without it,
/// unless it says that less is to be decided.
struct JobWatch {
  // What goes in.
  Uid job;  ///< whose
  /// Evictions are looked for only for this job, and other jobs are not told why they wait. Its
  /// answer may be one that it gets only once the jobs ahead of it have had theirs.
  bool job_alone = false;
  /// The plan ends once it is known whether the job gets free room.
  bool ends_with_turn = false;
  /// Ends the plan early; what it has decided by then means nothing.
  std::stop_token stop = {};

  // What comes out.
  std::vector<Uid> turns;  ///< jobs that could start, were there room, in the order served
  /// The queue's bound that kept it out.
  std::optional<policy::CapacityRefusal> capacity;

  /// How it found no room: the member that found no node, and what each node said to it.
  struct NoRoom {
    Uid pod;
    std::size_t members = 0;  ///< that were to start together
    std::size_t found = 0;    ///< of them had found their node before this one
    bool no_domain = false;   ///< no single domain has room for the group
    bool is_rest = false;     ///< others of the job start in this plan
    std::string text;         ///< of devices: the number that decides, and where it is nearest
    std::vector<NodesAlike> nodes;  ///< the largest group first
    cluster::AllocatedState state;  ///< all that is placed then; who leaves has left
  };
  std::optional<NoRoom> no_room;
  /// Which node groups can grow to fit, or what each lacks; empty: none was asked.
  std::string node_groups = {};
};

}  // namespace dray::planner
