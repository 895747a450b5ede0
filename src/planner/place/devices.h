#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/alloc/extended_resources.h"
#include "dray/alloc/pool_faults.h"
#include "dray/cluster/allocated_state.h"
#include "dray/cluster/node_allocatable.h"
#include "dray/model/placement.h"
#include "planner/state/jobs.h"

namespace dray::planner {

/// Why there are no devices on a node.
struct NoDevices {
  Reason reason = Reason::no_devices;
  std::string error;  ///< of Reason::allocation_error: what cannot be evaluated
  /// Of Reason::node_resources.
  std::optional<cluster::NodeAllocatableLack> lack = std::nullopt;
};

/// Whether a node has the devices for a pod, without the devices themselves.
struct DeviceCheck {
  Reason reason = Reason::none;  ///< none: it has
  std::string error = {};        ///< as in NoDevices
  struct Ranks {
    std::int32_t preference = 0;  ///< as in alloc::Fit
    std::uint32_t unready = 0;    ///< as in alloc::Fit
    std::int64_t alignment = 0;   ///< as in alloc::Fit
  };
  std::optional<Ranks> ranks = std::nullopt;                  ///< where the allocator was asked
  std::shared_ptr<const alloc::Shortage> shortage = nullptr;  ///< where it said no
  std::optional<cluster::NodeAllocatableLack> lack = std::nullopt;  ///< as in NoDevices
};

/// Devices for members whose node is chosen.
struct ChosenDevices {
  std::vector<Placement> placements;  ///< of each member
  std::vector<std::string> warnings;  ///< they work but may not be meant
  std::int32_t preference = 0;        ///< of alternatives, as in alloc::Fit
};

/// What devices that are yet to be chosen may count for together.
struct DeviceBound {
  const policy::Counting& counting;
  policy::Amounts most;
  /// Whether the claim counts for the members, and not for another pod.
  std::function<bool(const ResourceClaim&)> counts;
};

/// The claims that still need devices in `state`.
[[nodiscard]] std::vector<const ResourceClaim*> open_claims(const cluster::AllocatedState& state,
                                                            const PodClaims& claims);

/// Finds devices for pods, of all kinds of claims: their own, those that they share, and those that
/// are made for extended resources (KEP-5004).
class Devices {
 public:
  Devices(const cluster::Snapshot& snapshot, alloc::Allocator& allocator)
      : snapshot_(snapshot), allocator_(allocator) {}

  /// What devices take of the node's own resources counts as well (KEP-5517).
  [[nodiscard]] bool counts_node_allocatable() const {
    return allocator_.options().features.node_allocatable_resources;
  }

  /// alloc::pool_faults() by the allocator's features.
  [[nodiscard]] std::string pool_faults(const cluster::AllocatedState& state,
                                        cluster::NodeIndex node) const {
    return alloc::pool_faults(state, node, allocator_.options().features);
  }

  /// Devices are others' to choose, for one pod after another.
  [[nodiscard]] bool chosen_for_one_pod() const {
    return allocator_.options().mode == alloc::Mode::predicted;
  }

  /// Whether the devices that the task's claims have already are out of the node's reach, or have
  /// as many users as they may: Reason::none if not.
  [[nodiscard]] Reason given_elsewhere(const cluster::AllocatedState& state, const Task& task,
                                       cluster::NodeIndex node) const;

  /// Whether `node` has devices for the task in `state`. Of a shape that is not singular, all tasks
  /// get the same answer.
  [[nodiscard]] DeviceCheck check(const cluster::AllocatedState& state, const Task& task,
                                  cluster::NodeIndex node);

  /// Devices for all of `tasks` on one node, chosen together; with a bound, such as keep to it.
  [[nodiscard]] std::expected<ChosenDevices, NoDevices> choose(const cluster::AllocatedState& state,
                                                               std::span<const Task* const> tasks,
                                                               cluster::NodeIndex node,
                                                               const DeviceBound* bound = nullptr);

 private:
  /// What a node would have to give for the pod's extended resources.
  struct Extended {
    std::optional<alloc::ExtendedResourceClaim> needed;
    std::shared_ptr<const ResourceClaim> earlier;       ///< that an earlier attempt has made
    std::shared_ptr<const AllocationResult> allocated;  ///< what that has
    [[nodiscard]] const ResourceClaim* open() const;    ///< the claim to allocate, if any
  };
  /// The claims of members that need devices, and what was found for them.
  struct Request {
    std::vector<const ResourceClaim*> open;
    std::vector<Extended> extended;  ///< of each member
    alloc::Allocation found;
    [[nodiscard]] const AllocationResult& result_of(const ResourceClaim* claim) const;
  };

  /// Nothing: the claim that an earlier attempt has made is not what this node would need.
  [[nodiscard]] std::optional<Extended> extend(const cluster::AllocatedState& state,
                                               const Task& task, cluster::NodeIndex node) const;
  [[nodiscard]] bool usable_on(const AllocationResult& allocation, cluster::NodeIndex node) const;
  [[nodiscard]] std::expected<Request, NoDevices> request(const cluster::AllocatedState& state,
                                                          std::span<const Task* const> tasks,
                                                          cluster::NodeIndex node) const;
  [[nodiscard]] Placement placement_of(const cluster::AllocatedState& state, const Task& task,
                                       cluster::NodeIndex node, const Request& request,
                                       const Extended& extended) const;
  [[nodiscard]] std::optional<NoDevices> count_node_allocatable(
      const cluster::AllocatedState& state, std::span<const Task* const> tasks,
      cluster::NodeIndex node, std::vector<Placement>& placements) const;

  const cluster::Snapshot& snapshot_;
  alloc::Allocator& allocator_;
};

}  // namespace dray::planner
