#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dray {

/// Hash of a key of words, for unordered containers; the same in every run.
struct WordsHash {
  [[nodiscard]] std::size_t operator()(std::span<const std::uint64_t> key) const {
    std::uint64_t hash = key.size();
    for (const auto word : key) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29U;
    }
    return hash;
  }
};

}  // namespace dray
