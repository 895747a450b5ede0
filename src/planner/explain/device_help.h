#pragma once

#include <string>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/cluster/allocated_state.h"
#include "dray/model/pod.h"
#include "dray/model/reason.h"

namespace dray::planner {

/// What a pod's devices were refused for.
struct DeviceLack {
  Reason reason = Reason::none;
  std::string said;           ///< the refusal in words
  NodeName node;              ///< the one that lacks least; empty: none is nearer than the others
  bool free_would_do = true;  ///< false: nodes have too few such devices, used or free
};

/// What those who wrote the claim, or who look after its devices, can do: sentences that follow
/// from the refusal itself. Empty where only room is lacking.
[[nodiscard]] std::vector<std::string> help_for_devices(const cluster::AllocatedState& state,
                                                        const Pod& pod, const DeviceLack& lack,
                                                        const alloc::AllocatorOptions& options);

/// `; did you mean X?` about a DeviceClass of the pod's claims that there is not; empty: none is
/// near.
[[nodiscard]] std::string near_class(const cluster::Snapshot& snapshot, const Pod& pod);

}  // namespace dray::planner
