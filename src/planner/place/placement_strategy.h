#pragma once

#include <optional>
#include <string_view>

#include "dray/alloc/allocator.h"
#include "dray/policy/placement_strategy.h"

// All that a placement strategy of a policy means. A new strategy is handled here and nowhere else:
// docs/extending.md, example 5.

namespace dray::planner {

/// How much a strategy wants a node with so much free of what it has, of the resource that the pod
/// takes: more is better.
[[nodiscard]] double placement_score(policy::PlacementStrategy strategy, double free,
                                     double capacity);

/// Why the best node is the best, for people: `the fullest with room`.
[[nodiscard]] std::string_view placement_reason(policy::PlacementStrategy strategy);

/// Whether a part of a device goes to a node with a device that is shared already, before others.
[[nodiscard]] bool joins_shared_devices(policy::PlacementStrategy strategy);

/// Where the allocator puts a part of a device on its node; nothing: as it is set up.
[[nodiscard]] std::optional<alloc::SharePlacement> share_placement(
    policy::PlacementStrategy strategy);

}  // namespace dray::planner
