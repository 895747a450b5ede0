#pragma once

#include <string>
#include <vector>

#include "dray/simulate/measures.h"
#include "wire/json/json_writer.h"

namespace dray::report {

/// A run and what it was like.
struct MeasuredRun {
  simulate::JobsRun run;
  simulate::RunMeasures measures;
};

/// Seconds for people: `0s`, `42s`, `3m20s`, `5h07m`, `2d03h`.
[[nodiscard]] std::string time_text(double seconds);

/// A number as JSON and CSV have it: whole where it is, else three decimals.
[[nodiscard]] std::string number(double value);
/// GPUs of a curve, with two decimals.
void write_curve(wire::JsonWriter& json, const char* name, const std::vector<double>& values);
/// What jobs_json() has of a run but for its curves, into an object that is open.
void write_run_measures(wire::JsonWriter& json, const MeasuredRun& measured, bool with_queues);

/// For people: a line a run, then a line for each run and queue.
[[nodiscard]] std::string jobs_table(const std::vector<MeasuredRun>& runs);
/// A line for each run and queue, and one of all its queues (`*`).
[[nodiscard]] std::string jobs_csv(const std::vector<MeasuredRun>& runs);
/// The same and the curves.
[[nodiscard]] std::string jobs_json(const std::vector<MeasuredRun>& runs);
/// The same without the curves, as Prometheus reads it (MetricsText).
[[nodiscard]] std::string jobs_metrics(const std::vector<MeasuredRun>& runs);

}  // namespace dray::report
