#include "dray/simulate/strategy.h"

#include <algorithm>

namespace dray::simulate {

std::string_view name(Strategy strategy) {
  return std::ranges::find(strategy_names, strategy, &StrategyName::strategy)->name;
}

std::optional<Strategy> find_strategy(std::string_view name) {
  const auto found = std::ranges::find(strategy_names, name, &StrategyName::name);
  if (found == strategy_names.end()) return std::nullopt;
  return found->strategy;
}

}  // namespace dray::simulate
