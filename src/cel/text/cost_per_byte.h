#pragma once

namespace dray::cel {

/// What running and estimating charge for a byte (cel-go: common.StringTraversalCostFactor,
/// RegexStringLengthCostFactor).
inline constexpr double per_byte = 0.1;
inline constexpr double per_pattern_byte = 0.25;

}  // namespace dray::cel
