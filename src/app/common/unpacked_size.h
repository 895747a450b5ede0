#pragma once

#include <algorithm>
#include <cstdint>

namespace dray::app {

/// How many bytes a packed file (gzip, ZIP) may unpack to, by its size: a small file must not cost
/// much. Tables and manifests are rarely more than thirty times as large as their archives.
[[nodiscard]] constexpr std::uint64_t most_unpacked(std::uint64_t packed_bytes) {
  constexpr std::uint64_t free_bytes = std::uint64_t{64} << 20U;
  constexpr std::uint64_t most_expansion = 100;
  constexpr std::uint64_t most_bytes = (std::uint64_t{4} << 30U) - 2;  // beyond: ZIP64
  return std::min(free_bytes + packed_bytes * most_expansion, most_bytes);
}

}  // namespace dray::app
