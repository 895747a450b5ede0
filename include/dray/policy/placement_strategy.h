#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dray::policy {

/// Which of the nodes with room a pod gets. What each one means to the planner:
/// planner/place/placement_strategy.cpp; how to add one: docs/extending.md.
enum class PlacementStrategy : std::uint8_t { pack, spread };

/// The names of all strategies in a policy file, by their values.
inline constexpr std::array<std::string_view, 2> placement_strategy_names{"pack", "spread"};

/// The strategy of that name; nothing: there is none.
[[nodiscard]] constexpr std::optional<PlacementStrategy> placement_strategy(std::string_view name) {
  for (std::uint8_t i = 0; i < placement_strategy_names.size(); ++i) {
    if (placement_strategy_names[i] == name) return static_cast<PlacementStrategy>(i);
  }
  return std::nullopt;
}

}  // namespace dray::policy
