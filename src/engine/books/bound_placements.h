#pragma once

#include <map>
#include <vector>

#include "dray/cluster/state.h"
#include "dray/model/placement.h"

namespace dray::engine {

/// Placements that became real. Pods and claims are watched apart: devices stay taken until the
/// watch has caught up with what was written to each claim, else they would look free for a moment.
/// That holds whoever leads: nothing else ends what is kept here.
class BoundPlacements {
 public:
  explicit BoundPlacements(cluster::ClusterState& cluster) : cluster_(cluster) {}

  /// The watch shows the pod bound (or gone after it was). `versions` are those of the placement's
  /// claims after our last writes, in its order.
  void add(Placement placement, std::vector<ResourceVersion> versions);
  /// A claim changed: what the watch shows by now is not assumed any more.
  void claims_moved();

 private:
  struct Kept {
    Placement placement;
    std::vector<ResourceVersion> versions;
  };
  [[nodiscard]] bool shown(const Uid& pod, const Kept& kept) const;

  cluster::ClusterState& cluster_;
  std::map<Uid, Kept> kept_;
};

}  // namespace dray::engine
