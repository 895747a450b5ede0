#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/cel/program.h"
#include "dray/cluster/chunked.h"
#include "dray/cluster/devices.h"
#include "dray/cluster/node_facts.h"
#include "dray/cluster/sharded_map.h"
#include "dray/model/claim.h"
#include "dray/model/ids.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"

namespace dray::cluster {

/// One node: facts, what its pods take, and the pools that have slices of this node alone.
struct NodeEntry {
  std::shared_ptr<const NodeFacts> facts;  ///< null: no node has this index
  std::shared_ptr<const NodeUse> use;      ///< null: nothing
  std::vector<PoolIndex> pools;            ///< by number
  /// Nodes of one class have devices that are, and are in use, the same to every request that reads
  /// no attribute of Snapshot::unclassified(); they may differ in labels and in shared pools.
  /// Numbers mean something within one Snapshot::equivalence_era(); 0: of no class.
  std::uint32_t equivalence_class = 0;
  /// Moves with everything that an allocation on the node may depend on, except the shared pools
  /// and the things that Snapshot::device_epoch stands for.
  std::uint64_t version = 0;
};

/// A selector as compiled: a program, or why there is none.
struct CompiledSelector {
  bool has_cel = false;  ///< false: a selector of a kind that nobody knows
  cel::ProgramHandle program;
  std::string error;
};

/// A DeviceClass with its selectors compiled. Immutable.
struct CompiledClass {
  std::shared_ptr<const DeviceClass> object;
  std::vector<CompiledSelector> selectors;
};

/// The cluster at one moment. Immutable; any thread may read it. Made by ClusterState::snapshot(),
/// or by make_snapshot() in tests.
class Snapshot {
 public:
  /// ClusterState::generation() when it was made.
  [[nodiscard]] std::uint64_t generation() const { return versions_.generation; }
  /// Stands for the ClusterState that it is of: versions and epochs of different ones say nothing
  /// about each other.
  [[nodiscard]] const std::shared_ptr<const void>& origin() const { return origin_; }

  // ---- Nodes ----

  /// Nodes that there are.
  [[nodiscard]] std::size_t node_count() const { return by_name_->size(); }
  /// One more than the highest NodeIndex.
  [[nodiscard]] std::size_t node_limit() const { return nodes_.size(); }
  /// All nodes in the order of their names.
  [[nodiscard]] std::span<const NodeIndex> nodes_by_name() const { return *by_name_; }
  /// The place of the node, if there is one of that name.
  [[nodiscard]] std::optional<NodeIndex> node(const NodeName& name) const;
  /// `node` is under node_limit(); its facts are null if no node has that place any more.
  [[nodiscard]] const NodeEntry& entry(NodeIndex node) const { return nodes_[node.get()]; }
  /// Of a node that is there.
  [[nodiscard]] const NodeFacts& facts(NodeIndex node) const { return *nodes_[node.get()].facts; }
  [[nodiscard]] const NodeName& name(NodeIndex node) const { return facts(node).name; }

  // ---- Devices ----

  /// Of a pool that is there.
  [[nodiscard]] const Pool& pool(PoolIndex index) const { return *pools_[index.get()]; }
  /// The place of the pool, if it has a slice.
  [[nodiscard]] std::optional<PoolIndex> find_pool(const DriverName& driver,
                                                   const PoolName& name) const;
  /// Calls `visit(const Pool&)` with each, in the order of their places.
  template <class F>
  void for_each_pool(F&& visit) const {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      if (pools_[i]) visit(*pools_[i]);
    }
  }
  /// Pools with slices that are not of one node: every node may see them. Sorted by number.
  [[nodiscard]] std::span<const PoolIndex> shared_pools() const { return *shared_pools_; }
  /// Moves when a class, a DeviceTaintRule or a slice that is not of one node changes: what all
  /// allocations may depend on.
  [[nodiscard]] std::uint64_t device_epoch() const { return versions_.device_epoch; }
  /// Moves when a class changes.
  [[nodiscard]] std::uint64_t class_epoch() const { return versions_.class_epoch; }
  /// Moves when a DeviceTaintRule changes.
  [[nodiscard]] std::uint64_t rule_epoch() const { return versions_.rule_epoch; }
  /// Attributes that NodeEntry::equivalence_class does not compare, sorted. Another object where
  /// one more came.
  [[nodiscard]] const std::shared_ptr<const std::vector<cel::Name>>& unclassified() const {
    return unclassified_;
  }
  /// Moves when all numbers of equivalence classes are void.
  [[nodiscard]] std::uint64_t equivalence_era() const { return versions_.equivalence_era; }
  /// In the order of their names.
  [[nodiscard]] std::span<const std::shared_ptr<const DeviceTaintRule>> taint_rules() const {
    return *taint_rules_;
  }

  // ---- Objects ----

  /// Objects by name; null: there is none.
  [[nodiscard]] std::shared_ptr<const CompiledClass> compiled_class(const ClassName& name) const;
  [[nodiscard]] std::shared_ptr<const DeviceClass> device_class(const ClassName& name) const;
  /// In the order of their names.
  [[nodiscard]] std::span<const std::shared_ptr<const CompiledClass>> classes() const {
    return *classes_;
  }
  /// As the API server has it; null: there is none.
  [[nodiscard]] std::shared_ptr<const ResourceClaim> claim(const ClaimKey& key) const;
  /// Claims are kept in parts: the part of a claim, whether it is there or not; and by part,
  /// whether its claims may be others than in a snapshot before this one.
  [[nodiscard]] static std::size_t claim_part(const ClaimKey& key) {
    return ShardedMap<ClaimKey, std::shared_ptr<const ResourceClaim>>::shard_of(key);
  }
  [[nodiscard]] std::vector<bool> claim_parts_changed_since(const Snapshot& before) const {
    return claims_.shards_changed_since(before.claims_);
  }
  /// The devices that the claim has, or has been promised by an assumed placement.
  [[nodiscard]] std::shared_ptr<const AllocationResult> allocation(const ClaimKey& key) const;
  /// Calls `visit(const ClaimKey&, const ResourceClaim&)` with each claim, in an order that is the
  /// same everywhere.
  template <class F>
  void for_each_claim(F&& visit) const {
    claims_.for_each([&](const ClaimKey& key, const auto& claim) { visit(key, *claim); });
  }
  [[nodiscard]] std::size_t claim_count() const { return claims_.size(); }
  /// As the API server has it; null: there is none.
  [[nodiscard]] std::shared_ptr<const Pod> pod(const PodKey& key) const;
  /// Null: there is none.
  [[nodiscard]] std::shared_ptr<const Namespace> name_space(const NamespaceName& name) const;

 private:
  friend class ClusterState;
  template <class T>
  using Shared = std::shared_ptr<const T>;

  /// What moves when something changes: see the functions of these names.
  struct Versions {
    std::uint64_t generation = 0;
    std::uint64_t device_epoch = 0;
    std::uint64_t class_epoch = 0;
    std::uint64_t rule_epoch = 0;
    std::uint64_t equivalence_era = 0;
  };
  Versions versions_;
  std::shared_ptr<const void> origin_;
  Shared<std::vector<cel::Name>> unclassified_;
  Chunked<NodeEntry> nodes_;
  Shared<std::vector<NodeIndex>> by_name_;
  Chunked<Shared<Pool>> pools_;
  ShardedMap<std::string, PoolIndex> pool_index_;  // by driver/pool
  Shared<std::vector<PoolIndex>> shared_pools_;
  Shared<std::vector<Shared<DeviceTaintRule>>> taint_rules_;
  Shared<std::vector<Shared<CompiledClass>>> classes_;
  Shared<std::vector<Shared<Namespace>>> namespaces_;
  ShardedMap<ClaimKey, Shared<ResourceClaim>> claims_;
  ShardedMap<ClaimKey, Shared<AllocationResult>> promised_;
  ShardedMap<PodKey, Shared<Pod>> pods_;
};

}  // namespace dray::cluster
