#pragma once

#include <span>
#include <string>

#include "dray/alloc/allocator.h"
#include "dray/cluster/allocated_state.h"
#include "dray/model/placement.h"

namespace dray::planner {

/// What the devices of a placement have in common, on the closest of the levels: `gpu and nic on
/// one PCIe root`; empty where there is one device, or they are further apart.
[[nodiscard]] std::string together_text(const cluster::Snapshot& snapshot,
                                        const Placement& placement,
                                        std::span<const alloc::AlignmentLevel> levels);

/// Which alternative of a request was taken: `its choice 1 of 2, h100`; empty where no request has
/// several.
[[nodiscard]] std::string choice_text(const cluster::Snapshot& snapshot,
                                      const Placement& placement);

/// Where a device is a partition of a card of which others are in use, too: that. `state` has the
/// placement. Else empty.
[[nodiscard]] std::string partition_text(const cluster::AllocatedState& state,
                                         const Placement& placement);

}  // namespace dray::planner
