#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/place/fragmentation.h"

namespace dray::simulate {

/// What is left of a GPU, by what typical pods that ask for parts of GPUs would make of it. Each
/// has a price: the part of a GPU that one more of them costs where all of them, as often as they
/// come, are packed into as few GPUs as can be (the dual of the cutting stock problem; Gilmore and
/// Gomory, 1961). A pod that fills what is left beside another costs nothing where there is more
/// of such room than of such pods. CPU and models do not count. Immutable.
class SharePrices {
 public:
  /// Nothing is worth anything.
  SharePrices() : SharePrices(std::span<const TypicalShape>()) {}
  explicit SharePrices(std::span<const TypicalShape> typical);

  /// Of a GPU of which so many thousandths are free: the most that pods which fit there together
  /// cost, in thousandths of a GPU. 1000 of an idle GPU where any pod asks for a part; never less
  /// for more that is free.
  [[nodiscard]] double worth(std::int64_t free_milli) const {
    return worth_[static_cast<std::size_t>(free_milli)];
  }
  /// What of that is lost when a pod takes `gpu_milli` of them.
  [[nodiscard]] double lost(std::int64_t free_milli, std::int64_t gpu_milli) const {
    return worth(free_milli) - worth(free_milli - gpu_milli);
  }

 private:
  std::vector<double> worth_;  ///< by thousandths that are free
};

}  // namespace dray::simulate
