#pragma once

#include <set>

#include "dray/cluster/state.h"
#include "engine/protocol/command.h"

namespace dray::engine {

/// Claims that only one waiting pod uses, allocated where the pod cannot go (after a crash between
/// allocation and binding, or a failed undo): given back, so that the pod can go elsewhere.
class ClaimReleases {
 public:
  explicit ClaimReleases(cluster::ClusterState& cluster) : cluster_(cluster) {}

  /// Gives back all that the pod alone holds, each claim once at a time.
  [[nodiscard]] Commands start(const Pod& pod);
  /// The write is over, whatever came of it.
  [[nodiscard]] Commands step(const ClaimKey& claim);
  /// Leadership changed.
  void reset() { under_way_.clear(); }

 private:
  cluster::ClusterState& cluster_;
  std::set<ClaimKey> under_way_;
};

}  // namespace dray::engine
