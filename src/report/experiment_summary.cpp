#include "report/experiment_summary.h"

#include <algorithm>
#include <functional>

namespace dray::report {
namespace {

using simulate::DemandPoint;
using simulate::ExperimentRun;

std::size_t last_point(const ExperimentRuns& runs) {
  std::size_t last = 0;
  for (const auto& run : runs) {
    for (std::size_t i = 0; i < run.points.size(); ++i) {
      if (run.points[i].pods > 0) last = std::max(last, i);
    }
  }
  return last;
}

/// Where a small workload jumps over a demand point, the one before it.
const DemandPoint& point_at(const ExperimentRun& run, std::size_t percent) {
  while (percent > 0 && run.points[percent].pods == 0) --percent;
  return run.points[percent];
}

Spread spread_over_seeds(const ExperimentRuns& runs, simulate::Strategy strategy,
                         const std::function<double(const ExperimentRun&)>& value) {
  std::vector<double> values;
  for (const auto& run : runs) {
    if (run.strategy == strategy) values.push_back(value(run));
  }
  return spread_of(values);
}

}  // namespace

ExperimentSummary summarize(const ExperimentRuns& runs) {
  ExperimentSummary summary;
  summary.last = last_point(runs);
  summary.full = std::min<std::size_t>(summary.last, 100);
  for (const auto& run : runs) {
    auto known = std::ranges::find(summary.policies, run.strategy, &PolicySummary::strategy);
    if (known == summary.policies.end()) {
      known = summary.policies.emplace(known);
      known->strategy = run.strategy;
    }
    ++known->seeds;
  }
  for (auto& policy : summary.policies) {
    const auto over_seeds = [&](const auto& value) {
      return spread_over_seeds(runs, policy.strategy, value);
    };
    policy.allocated_full =
        over_seeds([&](const auto& run) { return point_at(run, summary.full).allocated; });
    policy.allocated_last =
        over_seeds([&](const auto& run) { return point_at(run, summary.last).allocated; });
    policy.fragmented_last =
        over_seeds([&](const auto& run) { return point_at(run, summary.last).fragmented; });
    policy.refused = over_seeds([](const auto& run) { return static_cast<double>(run.refused); });
  }
  return summary;
}

std::vector<MeanPoint> mean_points(const ExperimentRuns& runs, simulate::Strategy strategy) {
  std::vector<MeanPoint> means;
  for (std::size_t demand = 0; demand < simulate::demand_points; ++demand) {
    MeanPoint mean;
    mean.demand = demand;
    double seeds = 0;
    for (const auto& run : runs) {
      const auto& point = run.points.at(demand);
      if (run.strategy != strategy || point.pods == 0) continue;
      mean.allocated_least =
          seeds == 0 ? point.allocated : std::min(mean.allocated_least, point.allocated);
      mean.allocated_most = std::max(mean.allocated_most, point.allocated);
      mean.allocated += point.allocated;
      mean.fragmented += point.fragmented;
      mean.fragmented_idle += point.fragmented_idle;
      ++seeds;
    }
    if (seeds == 0) continue;
    mean.allocated /= seeds;
    mean.fragmented /= seeds;
    mean.fragmented_idle /= seeds;
    means.push_back(mean);
  }
  return means;
}

}  // namespace dray::report
