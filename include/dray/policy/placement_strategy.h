#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dray/policy/keys.h"

namespace dray::policy {

/// Which of the nodes with room a pod gets. What each one means to the planner:
/// planner/place/placement_strategy.cpp; how to add one: docs/extending.md.
enum class PlacementStrategy : std::uint8_t { pack, spread };

/// Its words in the policy file.
[[nodiscard]] inline std::span<const Word<PlacementStrategy>> words_of(PlacementStrategy) {
  static constexpr std::array words{Word{"pack", PlacementStrategy::pack},
                                    Word{"spread", PlacementStrategy::spread}};
  return words;
}

}  // namespace dray::policy
