#pragma once

#include <cstdint>

#include "dray/cluster/snapshot.h"
#include "dray/model/placement.h"
#include "dray/policy/config.h"

namespace dray::planner {

/// How a pod's devices lie to each other.
enum class Together : std::uint8_t {
  alone,     ///< it has fewer than two
  together,  ///< on one PCIe root, NUMA node or whatever else the policy aligns by
  apart,     ///< on none, or it is not published where they are
};

/// Of the pod's placement on a node of the snapshot.
[[nodiscard]] Together together(const cluster::Snapshot& snapshot, const Placement& placement,
                                const policy::PolicyConfig& config);

}  // namespace dray::planner
