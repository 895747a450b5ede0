#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dray/cluster/node_allocatable.h"

namespace dray::planner {

/// Of a resource of nodes: `8`, `500m`, `1.5Gi`.
[[nodiscard]] std::string amount_text(std::string_view resource, std::int64_t amount);

/// `wants 17 of cpu, 16 of it for its devices`; of the pod's own budget also how large that is.
[[nodiscard]] std::string wants_text(const cluster::NodeAllocatableLack& lack);

/// For one node: `wants 17 of cpu, 16 of it for its devices; the node has 15 left`.
[[nodiscard]] std::string text(const cluster::NodeAllocatableLack& lack);

}  // namespace dray::planner
