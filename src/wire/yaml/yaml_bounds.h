#pragma once

#include <cstddef>

namespace dray::wire {

// Aliases let a small YAML text describe a huge or an endless tree.

/// Lists and maps in each other.
inline constexpr int deepest_yaml = 500;

/// Bytes of keys and values that a text of that size may stand for.
[[nodiscard]] constexpr std::size_t most_yaml_bytes(std::size_t text_size) {
  constexpr std::size_t free_bytes = std::size_t{1} << 20U;
  constexpr std::size_t most_expansion = 10;
  return free_bytes + text_size * most_expansion;
}

}  // namespace dray::wire
