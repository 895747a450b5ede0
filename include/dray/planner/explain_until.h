#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "dray/planner/explanation.h"

namespace dray::planner {

/// What an explanation took: for tests and metrics.
struct ExplainWork {
  std::size_t plans = 0;
  std::size_t nodes_tried = 0;  ///< as in Plan, of all of these
  std::size_t scenarios = 0;    ///< as in Plan, of all of these
  /// Jobs and nodes that these plans went over: twice where evictions count, six times where the
  /// policy is another one and all of them are read anew.
  std::size_t cost = 0;
};

/// What all plans of one explanation may cost beside the first one (ExplainWork::cost).
inline constexpr std::size_t most_explain_cost = 200'000;

/// As explain(). Nothing: `stop` was requested, from any thread; it then returns within the time
/// that one job of a plan takes.
[[nodiscard]] std::optional<Explanation> explain_until(const Question& question,
                                                       const alloc::AllocatorOptions& options,
                                                       const std::stop_token& stop,
                                                       ExplainWork* work = nullptr);

}  // namespace dray::planner
