#pragma once

#include <cstddef>
#include <cstdint>

#include "dray/base/time.h"

namespace dray::dst {

/// splitmix64: the only source of chance in a run.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  /// Those of one matter: what another matter throws changes nothing here.
  Dice(std::uint64_t seed, std::uint64_t matter) : state_(seed ^ (matter * 0xd1342543de82ef95U)) {}

  std::uint64_t next() {
    auto x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  /// 0 to n-1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  Duration up_to(Duration most) { return Duration(between(0, most.count())); }

 private:
  std::uint64_t state_;
};

}  // namespace dray::dst
