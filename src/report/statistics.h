#pragma once

#include <span>

namespace dray::report {

/// Of several runs: 0 of none.
struct Spread {
  double mean = 0;
  double deviation = 0;  ///< of the sample; 0 of fewer than two
};
[[nodiscard]] Spread spread_of(std::span<const double> values);

}  // namespace dray::report
