#pragma once

#include <cstddef>
#include <vector>

#include "dray/simulate/experiment.h"
#include "report/experiment_report.h"
#include "report/statistics.h"

namespace dray::report {

/// What a policy's runs were like over their seeds.
struct PolicySummary {
  simulate::Strategy strategy = simulate::Strategy::fgd;
  std::size_t seeds = 0;
  Spread allocated_full;   ///< at ExperimentSummary::full, % of capacity
  Spread allocated_last;   ///< at ExperimentSummary::last
  Spread fragmented_last;  ///< the same
  Spread refused;          ///< pods
};

struct ExperimentSummary {
  std::size_t full = 0;                 ///< demand, %: that of the whole cluster, or the last
  std::size_t last = 0;                 ///< the last that any run got to
  std::vector<PolicySummary> policies;  ///< in the order of their first runs
};
[[nodiscard]] ExperimentSummary summarize(const ExperimentRuns& runs);

/// Means of a policy's runs at one demand, over the seeds that had a pod there.
struct MeanPoint {
  std::size_t demand = 0;  ///< %
  double allocated = 0;
  double allocated_least = 0;  ///< of any seed
  double allocated_most = 0;
  double fragmented = 0;
  double fragmented_idle = 0;
};
/// No point where no seed had a pod.
[[nodiscard]] std::vector<MeanPoint> mean_points(const ExperimentRuns& runs,
                                                 simulate::Strategy strategy);

}  // namespace dray::report
