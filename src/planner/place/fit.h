#pragma once

#include <cstdint>
#include <expected>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/alloc/extended_resources.h"
#include "planner/state/overlay.h"

namespace dray::planner {

/// status.reservedFor holds at most 256 (k8s.io/api/resource/v1).
inline constexpr std::size_t max_consumers = 256;

/// What a node said to a shape, in the state that `stamp` names.
struct NodeVerdict {
  std::uint64_t stamp = 0;
  Reason now = Reason::none;
  Reason soon = Reason::none;
  bool shares = false;        ///< a device that others share has room for it
  bool shares_soon = false;   ///< …but only soon
  std::uint32_t unready = 0;  ///< devices that have to be made ready first
  std::int32_t preference = 0;
};

/// Verdicts by shape and node, kept from plan to plan.
class NodeVerdicts {
 public:
  [[nodiscard]] NodeVerdict& at(const Shape& shape, cluster::NodeIndex node, std::size_t limit);
  void clear() { rows_.clear(); }

 private:
  std::vector<std::vector<NodeVerdict>> rows_;
};

/// Where members may go, in the order of names, and how much each node is wanted besides.
struct NodeSet {
  std::vector<cluster::NodeIndex> nodes;
  std::vector<std::int64_t> bonus;  ///< by node index; empty: none
};

/// A node for a member, and whether there is room on it now or only soon.
struct Choice {
  cluster::NodeIndex node;
  bool now = true;
  std::string_view why = {};  ///< this one, for people
  std::size_t among = 0;      ///< so many nodes
};

/// The claims that still need devices in `state`.
[[nodiscard]] std::vector<const ResourceClaim*> open_claims(const cluster::AllocatedState& state,
                                                            const PodClaims& claims);

/// Finds nodes and devices for single members.
class PlanFit {
 public:
  PlanFit(const PlanInput& input, const policy::Policy& policy, PlanOverlay& overlay,
          alloc::Allocator& allocator, NodeVerdicts& verdicts);

  /// The best node, by KAI's rules of node scores in their order: the nominated one, the preferred
  /// domain, a shared device with room, room now, pods without devices away from nodes that have
  /// them; then the better alternative of `firstAvailable`, then packed or spread as the policy
  /// says; then by name. `soon`: room that is only free soon will do.
  [[nodiscard]] std::optional<Choice> best(const PlanJob& job, PlanTask& task, const NodeSet& among,
                                           bool soon);

  /// Devices on that node; a Reason where there are none after all.
  [[nodiscard]] std::expected<Placement, Reason> devices(const PlanTask& task,
                                                         const Choice& choice);
  /// Devices for several members on one node, chosen together.
  [[nodiscard]] std::optional<std::vector<Placement>> devices_together(
      std::span<PlanTask* const> tasks, const Choice& choice);

  /// What devices take of the node's own resources counts as well (KEP-5517).
  [[nodiscard]] bool counts_node_allocatable() const {
    return allocator_.options().features.node_allocatable_resources;
  }
  [[nodiscard]] Reason given_elsewhere(const cluster::AllocatedState& state, const PlanTask& task,
                                       cluster::NodeIndex node) const;
  /// Whether the node takes the member now, or soon.
  [[nodiscard]] const NodeVerdict& verdict(PlanTask& task, cluster::NodeIndex node);
  /// A node that promised and did not keep it is not the best any more.
  void bar(cluster::NodeIndex node, Reason reason);
  void clear_barred() { barred_.clear(); }
  [[nodiscard]] bool refused(const PlanTask& task, cluster::NodeIndex node) const;

  /// Why the last member found no node: the Reason that got furthest, and counts.
  struct Refusal {
    Reason reason = Reason::no_node_fits;
    std::string detail;
  };
  [[nodiscard]] Refusal explain(PlanTask& task, std::span<const cluster::NodeIndex> among);
  /// Of the devices that were found last.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  [[nodiscard]] std::size_t tried() const { return tried_; }
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  /// Every node that takes pods at all.
  [[nodiscard]] const NodeSet& everywhere() const { return everywhere_; }

 private:
  struct Score {
    std::int64_t rules = std::numeric_limits<std::int64_t>::min();
    std::uint32_t unready = 0;    ///< devices that have to be made ready: the fewer the better
    std::int32_t preference = 0;  ///< of alternatives, as Kubernetes scores them
    double placement = 0;
  };
  struct Wish {
    const policy::PlacementStrategy strategy;
    const std::size_t column;
    const bool needs_devices;
    const std::optional<cluster::NodeIndex> nominated;
    const std::int32_t preference;  ///< the most that a node can give
  };

  /// What a node would have to give for the pod's extended resources (KEP-5004).
  struct Extended {
    std::optional<alloc::ExtendedResourceClaim> needed;
    std::shared_ptr<const ResourceClaim> earlier;       ///< that an earlier attempt has made
    std::shared_ptr<const AllocationResult> allocated;  ///< what that has
    [[nodiscard]] const ResourceClaim* open() const;    ///< the claim to allocate, if any
  };
  /// Nothing: the claim that an earlier attempt has made is not what this node would need.
  [[nodiscard]] std::optional<Extended> extend(const cluster::AllocatedState& state,
                                               const Shape& shape, const PlanTask& task,
                                               cluster::NodeIndex node) const;
  [[nodiscard]] bool usable_on(const AllocationResult& allocation, cluster::NodeIndex node) const;
  [[nodiscard]] Wish wish_of(const PlanJob& job, const PlanTask& task) const;
  [[nodiscard]] std::string_view why(const Wish& wish, cluster::NodeIndex node, bool shares) const;
  [[nodiscard]] Score score(const Wish& wish, const NodeSet& among, cluster::NodeIndex node,
                            const NodeVerdict& verdict, bool known) const;
  [[nodiscard]] static bool better(const Score& a, std::uint32_t rank_a, const Score& b,
                                   std::uint32_t rank_b);
  [[nodiscard]] NodeVerdict look(const Shape& shape, const PlanTask& task, cluster::NodeIndex node);
  [[nodiscard]] Reason look_in(const cluster::AllocatedState& state, const Shape& shape,
                               const PlanTask& task, cluster::NodeIndex node, NodeVerdict& verdict);
  [[nodiscard]] std::expected<std::vector<Placement>, Reason> place_in(
      const cluster::AllocatedState& state, std::span<PlanTask* const> tasks,
      cluster::NodeIndex node);
  [[nodiscard]] std::vector<Placement> placements_of(const cluster::AllocatedState& state,
                                                     std::span<PlanTask* const> tasks,
                                                     cluster::NodeIndex node,
                                                     const std::vector<const ResourceClaim*>& open,
                                                     const std::vector<Extended>& extended,
                                                     const alloc::Allocation& found) const;
  [[nodiscard]] Reason count_node_allocatable(const cluster::AllocatedState& state,
                                              std::span<PlanTask* const> tasks,
                                              cluster::NodeIndex node,
                                              std::vector<Placement>& placements);
  [[nodiscard]] bool has_shared_room(const cluster::AllocatedState& state, const Shape& shape,
                                     cluster::NodeIndex node) const;
  [[nodiscard]] std::optional<cluster::NodeIndex> nominated(const PlanTask& task) const;

  const PlanInput& input_;
  const policy::Policy& policy_;
  PlanOverlay& overlay_;
  alloc::Allocator& allocator_;
  NodeVerdicts& verdicts_;
  NodeSet everywhere_;
  NodeVerdict passing_;  ///< of a shape whose verdicts are not kept
  /// By queue and column; asked for when first needed.
  mutable std::vector<std::optional<policy::PlacementStrategy>> strategies_;
  std::map<cluster::NodeIndex, Reason> barred_;
  std::vector<std::string> warnings_;
  std::string error_;
  std::size_t tried_ = 0;
  bool exhausted_ = false;
};

}  // namespace dray::planner
