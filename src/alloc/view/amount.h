#pragma once

#include "dray/base/quantity.h"

namespace dray::alloc {

/// An amount in billionths, which every Quantity is a multiple of: additions without allocation.
/// Amounts beyond 10^28 are cut to that.
__extension__ typedef __int128 Amount;

[[nodiscard]] Amount amount_of(const Quantity& quantity);

}  // namespace dray::alloc
