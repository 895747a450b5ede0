#pragma once

#include <cstdint>
#include <span>

#include "tests/dst/world.h"

namespace dray::dst {

/// Seeds whose stories are made in one way.
struct Family {
  Story (*story_of)(std::uint64_t seed);
  /// Each must happen in some seed: a simulation in which nothing happens proves nothing.
  std::span<const char* const> interesting;
};

/// Plays as many seeds as the environment says, and checks each.
void play(const Family& family);

}  // namespace dray::dst
