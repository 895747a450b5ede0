#pragma once

#include <string>
#include <vector>

#include "dray/simulate/experiment.h"
#include "wire/json/json_writer.h"

namespace dray::report {

/// Runs of FGD's experiment: policies in the order of their first runs, side by side.
using ExperimentRuns = std::vector<simulate::ExperimentRun>;

/// For people: a line a policy, means over its seeds with their standard deviations.
[[nodiscard]] std::string experiment_table(const ExperimentRuns& runs);
/// A line for every policy, seed and demand point.
[[nodiscard]] std::string experiment_csv(const ExperimentRuns& runs);
/// All of it, decisions apart.
[[nodiscard]] std::string experiment_json(const ExperimentRuns& runs);
/// What refused pods lack, of one run, into an object that is open.
void write_refused_for(wire::JsonWriter& json, const simulate::ExperimentRun& run);
/// At each demand point of each run what is allocated and fragmented, as Prometheus reads it
/// (MetricsText).
[[nodiscard]] std::string experiment_metrics(const ExperimentRuns& runs);
/// A line a pod: policy, seed, place in the order of arrival, row of the pod, node (-1: refused)
/// and GPUs. `orders`: of each run.
[[nodiscard]] std::string decisions_csv(const ExperimentRuns& runs,
                                        const std::vector<const simulate::ArrivalOrder*>& orders);

}  // namespace dray::report
