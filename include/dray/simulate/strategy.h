#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dray::simulate {

/// How a node is chosen for a pod. All but `random` and `first_fit` take the node with the highest
/// score, and of equal ones that of the lowest rank. The definitions are those of the FGD artifact
/// (Weng et al., USENIX ATC'23); docs/simulator.md has them.
enum class Strategy : std::uint8_t {
  first_fit,    ///< the first node with room, by rank
  random,       ///< any node with room, any GPU with room
  dot_product,  ///< the least product of what is free and what is asked
  clustering,   ///< nodes that hold pods of the same number of GPUs
  packing,      ///< GPUs in use before idle ones, used nodes before idle ones
  best_fit,     ///< where the least of CPU and GPU is left
  fgd,          ///< where fragmentation grows least
  dray,         ///< dray's own
};

/// A strategy under the name that people write.
struct StrategyName {
  std::string_view name;
  Strategy strategy;
};

/// In the order in which people see them.
inline constexpr std::array strategy_names{StrategyName{"random", Strategy::random},
                                           StrategyName{"first-fit", Strategy::first_fit},
                                           StrategyName{"dotproduct", Strategy::dot_product},
                                           StrategyName{"clustering", Strategy::clustering},
                                           StrategyName{"packing", Strategy::packing},
                                           StrategyName{"bestfit", Strategy::best_fit},
                                           StrategyName{"fgd", Strategy::fgd},
                                           StrategyName{"dray", Strategy::dray}};

/// As in strategy_names.
[[nodiscard]] std::string_view name(Strategy strategy);
/// The strategy of that name; nothing: there is none.
[[nodiscard]] std::optional<Strategy> find_strategy(std::string_view name);

}  // namespace dray::simulate
