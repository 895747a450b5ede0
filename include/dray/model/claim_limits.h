#pragma once

#include <cstddef>
#include <cstdint>

// What the API server lets a ResourceClaim hold (resource/v1 types.go).

namespace dray {

/// AllocationResultsMaxSize: devices of an allocation.
inline constexpr std::int64_t max_results = 32;
/// FirstAvailableDeviceRequestMaxSize: alternatives of a request.
inline constexpr std::int64_t max_alternatives = 8;
/// ResourceClaimReservedForMaxSize: users of a claim.
inline constexpr std::size_t max_consumers = 256;

}  // namespace dray
