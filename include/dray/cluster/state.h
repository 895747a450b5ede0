#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dray/cluster/event.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/placement.h"

namespace dray::cluster {

/// Whether no plan could tell the two apart: conditions and the like come and go all the time.
[[nodiscard]] bool same_for_plans(const Pod& a, const Pod& b);

/// The cluster as the watches tell it, with what dray has promised on top. One owner calls it;
/// snapshots may go to any thread. Deterministic: the same calls give the same state.
///
/// Objects are kept as they came or, slices and nodes, in a compact form; a slice of a pool whose
/// slices come in any order is the same in the end, but that upstream judges completeness by the
/// slice that came first.
class ClusterState {
 public:
  ClusterState();
  ~ClusterState();
  ClusterState(ClusterState&&) noexcept;
  ClusterState& operator=(ClusterState&&) noexcept;

  /// What a watch says: the object as it is now, in place of the one of its name before.
  void apply(const ObjectChanged& change) { apply(change.object); }
  void apply(const KubeObject& object);  ///< the same of an object that stays the caller's
  /// It is not there any more; nothing happens if the uid is given and another pod's.
  void apply(const ObjectGone& change);

  /// A reservation or a bind under way: until forget(), the pod's requests count on the node and
  /// its claims' devices as in use. Once the real pod has a node, or a real claim shows the same
  /// devices, that counts instead: nothing is ever counted twice. Replaces what was assumed for the
  /// pod before.
  void assume(const Placement& placement);
  /// Ends what was assumed for the pod; nothing if nothing was.
  void forget(const Uid& pod);

  /// Objects as they came; null: there is none.
  [[nodiscard]] std::shared_ptr<const Pod> pod(const PodKey& key) const;
  [[nodiscard]] std::shared_ptr<const Pod> pod(const Uid& uid) const;
  /// The pod that has lost its name to the object, which is another; nothing: there is none.
  [[nodiscard]] std::optional<ObjectGone> replaced_by(const KubeObject& object) const;
  /// In no order that means anything, but always the same.
  void for_each_pod(const std::function<void(const std::shared_ptr<const Pod>&)>& visit) const;
  [[nodiscard]] std::shared_ptr<const ResourceClaim> claim(const ClaimKey& key) const;  ///< or null
  [[nodiscard]] std::shared_ptr<const ResourceClaimTemplate> claim_template(
      const ClaimTemplateKey& key) const;  ///< or null
  [[nodiscard]] std::shared_ptr<const DeviceClass> device_class(const ClassName& name) const;
  /// The place of the node, as in snapshots.
  [[nodiscard]] std::optional<NodeIndex> node(const NodeName& name) const;
  /// The node, or null.
  [[nodiscard]] const NodeFacts* find_node(const NodeName& name) const;
  /// All nodes in the order of their names. Good until the next change.
  [[nodiscard]] std::span<const NodeIndex> nodes_by_name() const;

  /// How much there is of what.
  struct Totals {
    std::size_t nodes = 0;
    std::size_t pods = 0;
    std::size_t claims = 0;
    std::size_t slices = 0;
    std::size_t devices = 0;
    /// Devices with at least one allocation (shares of one device count once), assumed ones
    /// included.
    std::size_t devices_allocated = 0;
  };
  /// Counted along the way: costs nothing.
  [[nodiscard]] Totals totals() const;

  /// Moves with every change that a snapshot would show.
  [[nodiscard]] std::uint64_t generation() const;
  /// The state as it is; costs what changed since the last one.
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace dray::cluster
