#pragma once

#include <cstdint>

#include "dray/base/time.h"
#include "dray/model/claim.h"

namespace dray::engine {

enum class Readiness : std::uint8_t { ready, pending, failed, timed_out };

/// Whether the claim's devices are ready for its pod to be bound (KEP-5007): the binding conditions
/// of each are true, and none of its failure conditions. isClaimReadyForBinding of the in-tree
/// plugin.
[[nodiscard]] Readiness readiness(const ResourceClaim& claim, Duration timeout, Time now);

[[nodiscard]] bool has_binding_conditions(const AllocationResult& allocation);

}  // namespace dray::engine
