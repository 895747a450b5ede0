#pragma once

#include <cstdint>

#include "dray/simulate/strategy.h"
#include "simulate/place/fragmentation.h"
#include "simulate/place/node_state.h"
#include "simulate/place/share_prices.h"

namespace dray::simulate {

/// What a strategy says of a pod on a node that has room for it.
struct Scored {
  std::uint32_t score = 0;  ///< more is better
  GpuBits gpus = 0;         ///< the GPUs that it would take
};

/// The scores of FGD's artifact (0 to 100), and dray's own (finer). Nothing of `random`, whose
/// choice has none. Only dray's own asks for prices.
[[nodiscard]] Scored score_of(Strategy strategy, Fragmentation& fragmentation,
                              const SharePrices& prices, const NodeState& node, const Shape& shape);

}  // namespace dray::simulate
