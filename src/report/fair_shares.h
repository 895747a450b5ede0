#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dray/policy/policy.h"
#include "dray/simulate/jobs_run.h"
#include "report/jobs_report.h"

namespace dray::report {

/// Whose quotas, limits and weights fair shares go by.
struct ShareRule {
  std::string policy;      ///< empty: all queues are equal
  policy::QueueTree tree;  ///< of the queues of the workload
  std::size_t resource = 0;
};
/// That of the first policy whose queues are those of the workload: other rules say nothing of
/// them.
[[nodiscard]] ShareRule share_rule(const std::vector<simulate::Scheduler>& schedulers,
                                   const std::vector<simulate::Curve>& curves);

/// GPUs that each queue was owed in each part of the time, by what all asked for then (held and
/// waited for); as dray's planner divides them, the past left out.
[[nodiscard]] std::vector<std::vector<double>> fair_shares(const ShareRule& rule,
                                                           const simulate::JobsRun& run);

/// Gives runs that are compared the shares of their queues by one rule, and what was owed by them.
void add_shares(std::vector<MeasuredRun>& runs, const std::vector<simulate::Scheduler>& schedulers);

}  // namespace dray::report
