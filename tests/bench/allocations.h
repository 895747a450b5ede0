#pragma once

#include <cstdint>

namespace dray::bench {

/// How often this thread has called operator new; a program that links allocations.cpp counts.
[[nodiscard]] std::uint64_t allocations();

}  // namespace dray::bench
