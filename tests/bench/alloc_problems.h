#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dray/cluster/state.h"
#include "dray/model/claim.h"

// What allocators are timed on; tests/bench/peer/alloc/problems.go has the same, device for device.

namespace dray::bench {

/// A claim that is asked of every node of a cluster.
struct AllocProblem {
  std::string name;
  std::unique_ptr<cluster::ClusterState> cluster;
  ResourceClaim asked;
};

/// From farms of thousands of nodes to single nodes on which upstream's search is exponential.
[[nodiscard]] std::vector<AllocProblem> alloc_problems();

}  // namespace dray::bench
