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
  explicit AllocatedState(std::shared_ptr<const Snapshot> base) : base_(std::move(base)) {}

  [[nodiscard]] const Snapshot& snapshot() const { return *base_; }
  [[nodiscard]] const std::shared_ptr<const Snapshot>& base() const { return base_; }

  /// Counts the placement: the pod's requests and ports on its node (`pod`, or the snapshot's pod
  /// of that key; none if it has a node already), and the devices of its claims, unless the claim
  /// has its devices in the snapshot or by an earlier placement.
  void place(const Placement& placement, const Pod* pod = nullptr);

  /// The parts of place(), for those who know them already.
  void add_use(NodeIndex node, const NodeUse& more);
  void remove_use(NodeIndex node, const NodeUse& less);
  /// A claim that has other devices already, which nobody released, has these on top.
  void add_claims(const Placement& placement);

  using Checkpoint = Strong<std::size_t, struct CheckpointTag>;
  [[nodiscard]] Checkpoint checkpoint() const { return Checkpoint(journal_.size()); }
  /// Takes back everything placed since.
  void rollback(Checkpoint checkpoint);

  /// Marks devices by hand: for tests and what-if questions.
  void take(const DeviceId& device, const DeviceUse& use);
  /// Frees what an allocation holds, as if it ended: for reclaim and preemption simulations.
  void release(const ClaimKey& claim);
  void remove_pod(const Pod& pod);

  // ---- What is seen ----

  /// Null: nothing.
  [[nodiscard]] const NodeUse* use(NodeIndex node) const;
  [[nodiscard]] std::shared_ptr<const AllocationResult> allocation(const ClaimKey& claim) const;
  /// Whether anything of the pool differs from the snapshot.
  [[nodiscard]] bool touched(PoolIndex pool) const { return pools_.contains(pool.get()); }
  /// Whether anything at all does.
  [[nodiscard]] bool pools_touched() const { return !pools_.empty(); }
  /// The use of a device of a touched pool, where it differs from the snapshot's; else null.
  [[nodiscard]] const DeviceUse* changed_use(PoolIndex pool, const std::string& device) const;

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
