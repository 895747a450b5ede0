#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// One that jobs are drawn for, as often as it weighs against the others.
struct WeightedQueue {
  std::string name;
  double weight = 1;

  bool operator==(const WeightedQueue&) const = default;
};

/// A workload that is drawn and not recorded. The same specification gives the same jobs.
struct SyntheticWorkload {
  struct Size {
    std::int32_t pods = 1;  ///< that start together
    std::int32_t gpus = 1;  ///< of each
    double weight = 1;
  };

  std::size_t jobs = 1000;
  double jobs_per_hour = 60;  ///< on average; arrivals are independent of each other (Poisson)
  /// From 0 to 1: how much more than on average come at noon, and less at midnight, when the
  /// workload begins.
  double day_swing = 0;
  // Run times are log-normal: half are below the median, and a few are very long.
  double run_time_median = 1200;  ///< seconds; Philly's and its sigma are about this
  double run_time_sigma = 2;
  double run_time_most = 60 * 86'400.0;  ///< seconds: longer ones end then
  std::vector<WeightedQueue> queues{{"default", 1}};
  std::vector<Size> sizes{{1, 1, 80}, {1, 2, 8}, {1, 4, 6}, {1, 8, 4}, {2, 8, 2}};
  std::uint64_t seed = 1;
};

/// Its jobs, by their arrival; drawn by the specification's seed alone.
[[nodiscard]] Workload synthetic(const SyntheticWorkload& spec);

/// Reads `KEY=VALUE,…`: jobs, per-hour, swing, median, sigma, most, queues (`NAME*WEIGHT+…`), sizes
/// (`GPUS*WEIGHT+…` or `PODSxGPUS*WEIGHT`), seed; what is not named is as above.
[[nodiscard]] Result<SyntheticWorkload> parse_synthetic(std::string_view text);

/// Reads `NAME*WEIGHT+…`; without a weight it is 1.
[[nodiscard]] Result<std::vector<WeightedQueue>> parse_queues(std::string_view text);

/// Each job is of one of `queues`, drawn by weight in the order of the trace, for traces that know
/// none; the same each time. `queues` is not empty.
void draw_queues(Workload& workload, const std::vector<WeightedQueue>& queues);

}  // namespace dray::simulate
