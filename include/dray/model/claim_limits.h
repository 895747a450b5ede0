#pragma once

#include <cstddef>
#include <cstdint>

// What the API server lets a ResourceClaim hold (resource/v1 types.go).

namespace dray {

inline constexpr std::int64_t max_results = 32;      ///< AllocationResultsMaxSize
inline constexpr std::int64_t max_alternatives = 8;  ///< FirstAvailableDeviceRequestMaxSize
inline constexpr std::size_t max_consumers = 256;    ///< ResourceClaimReservedForMaxSize

}  // namespace dray
