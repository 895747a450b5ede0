#pragma once

#include <cstdint>

namespace dray::cel {

/// A number that no other object of this process has: what a cache compares, as the address of what
/// is gone may be given out again. Thread-safe; never 0.
[[nodiscard]] std::uint64_t next_serial();

}  // namespace dray::cel
