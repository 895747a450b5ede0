#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/model/placement.h"

namespace dray::cluster {

/// A Snapshot with more placed on it: what a plan works on. place() and rollback() cost what the
/// placement has, not what the cluster has. One thread at a time.
class AllocatedState {
 public:
  /// Nothing placed yet. `base` is not null.
  explicit AllocatedState(std::shared_ptr<const Snapshot> base) : base_(std::move(base)) {}

  /// What it stands on, without what is placed.
  [[nodiscard]] const Snapshot& snapshot() const { return *base_; }
  /// The same, to be held.
  [[nodiscard]] const std::shared_ptr<const Snapshot>& base() const { return base_; }

  /// Counts the placement: the pod's requests and ports on its node (`pod`, or the snapshot's pod
  /// of that key; none if it has a node already), and the devices of its claims, unless the claim
  /// has its devices in the snapshot or by an earlier placement.
  void place(const Placement& placement, const Pod* pod = nullptr);

  /// The parts of place(), for those who know them already.
  void add_use(NodeIndex node, const NodeUse& more);
  /// The opposite of add_use: `less` was added before, or is in the snapshot.
  void remove_use(NodeIndex node, const NodeUse& less);
  /// A claim that has other devices already, which nobody released, has these on top.
  void add_claims(const Placement& placement);
  /// Frees devices that a claim has on top of others.
  void remove_devices(const AllocationResult& less);

  /// A moment of this overlay; void once it was rolled back behind it.
  using Checkpoint = Strong<std::size_t, struct CheckpointTag>;
  /// Now.
  [[nodiscard]] Checkpoint checkpoint() const { return Checkpoint(journal_.size()); }
  /// Takes back everything placed since.
  void rollback(Checkpoint checkpoint);

  /// Marks devices by hand: for tests and what-if questions.
  void take(const DeviceId& device, const DeviceUse& use);
  /// Frees what an allocation holds, as if it ended: for reclaim and preemption simulations.
  void release(const ClaimKey& claim);
  /// Takes the pod's requests and ports off the node that it has; nothing if it has none.
  void remove_pod(const Pod& pod);

  /// Takes everything off the node, and frees all devices that it may use, those of shared pools
  /// and of other nodes that draw on the same counters included: for the question what it could
  /// hold. Claims keep their allocations.
  void clear_node(NodeIndex node);

  // ---- What is seen ----

  /// Null: nothing.
  [[nodiscard]] const NodeUse* use(NodeIndex node) const;
  /// The devices that the claim has here: placed, promised or allocated; null if none or released.
  [[nodiscard]] std::shared_ptr<const AllocationResult> allocation(const ClaimKey& claim) const;
  /// Whether anything of the pool differs from the snapshot.
  [[nodiscard]] bool touched(PoolIndex pool) const { return pools_.contains(pool.get()); }
  /// Whether anything at all does.
  [[nodiscard]] bool pools_touched() const { return !pools_.empty(); }
  /// The use of a device of a touched pool, where it differs from the snapshot's; else null.
  [[nodiscard]] const DeviceUse* changed_use(PoolIndex pool, const std::string& device) const;

  /// The same snapshot and the same use of nodes, devices and claims, however it came about.
  bool operator==(const AllocatedState& other) const;

 private:
  using PoolChanges = std::unordered_map<std::string, DeviceUse>;
  struct NodeChanged {
    std::uint32_t node;
    std::optional<NodeUse> before;
  };
  struct DeviceChanged {
    std::uint32_t pool;
    std::string device;
    std::optional<DeviceUse> before;
  };
  struct ClaimChanged {
    ClaimKey claim;
    bool had;
    std::shared_ptr<const AllocationResult> before;
  };
  using Change = std::variant<NodeChanged, DeviceChanged, ClaimChanged>;

  void add_claim(const ClaimPlacement& claim);
  void change_use(const DeviceId& device, const std::function<void(DeviceUse&)>& change);
  void change_node(NodeIndex node, const std::function<void(NodeUse&)>& change);
  void set_allocation(const ClaimKey& claim, std::shared_ptr<const AllocationResult> allocation);

  std::shared_ptr<const Snapshot> base_;
  std::unordered_map<std::uint32_t, NodeUse> nodes_;
  std::unordered_map<std::uint32_t, PoolChanges> pools_;
  std::unordered_map<ClaimKey, std::shared_ptr<const AllocationResult>> claims_;
  std::vector<Change> journal_;
};

}  // namespace dray::cluster
