#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace dray {

/// A vector by index of which few entries may be used: a block of them is made with its first.
template <class T, std::size_t per_block = 64>
class SparseVector {
 public:
  /// Null where the block of `index` was never written to; else the entry, as made or as written.
  [[nodiscard]] const T* find(std::size_t index) const {
    const auto at = index / per_block;
    if (at >= blocks_.size() || !blocks_[at]) return nullptr;
    return &(*blocks_[at])[index % per_block];
  }
  /// Makes its block where that is missing; references hold until clear().
  [[nodiscard]] T& operator[](std::size_t index) {
    const auto at = index / per_block;
    if (at >= blocks_.size()) blocks_.resize(at + 1);
    auto& block = blocks_[at];
    if (!block) {
      block = std::make_unique<Block>();
      ++made_;
    }
    return (*block)[index % per_block];
  }
  /// Entries that memory is held for.
  [[nodiscard]] std::size_t held() const { return made_ * per_block; }
  void clear() {
    blocks_.clear();
    made_ = 0;
  }

 private:
  using Block = std::array<T, per_block>;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t made_ = 0;
};

}  // namespace dray
