#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alloc/view/bits.h"

namespace dray::alloc {

/// Somebody who wants so many devices, any of a set.
struct DevicesWanted {
  Bits devices;
  std::int64_t units = 0;
};

/// Whether each can have as many devices as it wants and no device goes to two (bipartite
/// matching). `devices`: how many there are.
[[nodiscard]] bool all_can_have_their_own(std::vector<DevicesWanted> wanted, std::size_t devices);

}  // namespace dray::alloc
