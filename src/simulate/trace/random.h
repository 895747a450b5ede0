#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace dray::simulate {

/// Random numbers of a seed, the same everywhere (SplitMix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    auto mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }
  /// From 0 to `limit` - 1, all as likely (but for 2^-32 of it); `limit` is not 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return (next() >> 32U) * limit >> 32U; }
  /// From 0 to 1, without 1.
  [[nodiscard]] double part() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  template <class T>
  void shuffle(std::span<T> items) {
    for (auto i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace dray::simulate
