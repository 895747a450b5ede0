#pragma once

#include <cstdint>
#include <vector>

#include "dray/base/quantity.h"

namespace dray::alloc {

/// An amount in billionths, which every Quantity is a multiple of: additions without allocation.
/// Amounts beyond 10^28 are cut to that.
__extension__ typedef __int128 Amount;

/// The quantity in billionths.
[[nodiscard]] Amount amount_of(const Quantity& quantity);

/// Adds the amount to a key of words.
inline void append(std::vector<std::uint64_t>& key, Amount amount) {
  key.push_back(static_cast<std::uint64_t>(amount));
  key.push_back(static_cast<std::uint64_t>(amount >> 64));
}

}  // namespace dray::alloc
