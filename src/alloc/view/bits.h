#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dray::alloc {

/// A set of devices by their place in a NodeView.
class Bits {
 public:
  Bits() = default;
  explicit Bits(std::size_t size) : words_((size + 63) / 64, 0) {}

  [[nodiscard]] bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

  /// Takes out everything before `start`.
  void cut_before(std::size_t start) {
    for (std::size_t w = 0; w < words_.size() && w * 64 < start; ++w) {
      const auto gone = start - w * 64;
      words_[w] = gone >= 64 ? 0 : words_[w] & (~std::uint64_t{0} << gone);
    }
  }
  Bits& operator&=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  Bits& operator|=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  Bits& operator-=(const Bits& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t sum = 0;
    for (const auto word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  [[nodiscard]] std::size_t count_common(const Bits& other) const {
    std::size_t sum = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      sum += static_cast<std::size_t>(std::popcount(words_[w] & other.words_[w]));
    }
    return sum;
  }
  [[nodiscard]] bool none() const {
    for (const auto word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  /// The first at `from` or later; the size rounded up to 64 if there is none.
  [[nodiscard]] std::size_t next(std::size_t from) const {
    for (std::size_t w = from / 64; w < words_.size(); ++w) {
      auto word = words_[w];
      if (w == from / 64) word &= ~std::uint64_t{0} << (from % 64);
      if (word != 0) return w * 64 + static_cast<std::size_t>(std::countr_zero(word));
    }
    return end();
  }
  [[nodiscard]] std::size_t end() const { return words_.size() * 64; }
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

  bool operator==(const Bits&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace dray::alloc
