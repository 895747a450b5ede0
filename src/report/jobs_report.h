#pragma once

#include <string>
#include <vector>

#include "dray/simulate/measures.h"
#include "wire/json/json_writer.h"

namespace dray::report {

/// GPUs that queues were owed over time.
struct FairShares {
  std::string policy;                          ///< whose weights; empty: all queues are equal
  std::vector<std::vector<double>> of_queues;  ///< by curve of the run; of none where not known
};

/// A run and what it was like.
struct MeasuredRun {
  simulate::JobsRun run;
  simulate::RunMeasures measures;
  FairShares shares = {};
};

/// Seconds for people: `0s`, `42s`, `3m20s`, `5h07m`, `2d03h`.
[[nodiscard]] std::string time_text(double seconds);

/// A number as JSON and CSV have it: whole where it is, else three decimals.
[[nodiscard]] std::string number(double value);
/// Values of a curve, with so many decimals.
void write_curve(wire::JsonWriter& json, const char* name, const std::vector<double>& values,
                 int decimals = 2);
/// One queue's GPUs over time: held, waited for, and its fair share.
void write_queue_curve(wire::JsonWriter& json, const MeasuredRun& measured, std::size_t queue);
/// Those of all queues, and of the run.
void write_curves(wire::JsonWriter& json, const MeasuredRun& measured);
/// Curves of the run as a whole.
void write_run_curves(wire::JsonWriter& json, const MeasuredRun& measured);
/// What jobs_json() has of a run but for its curves, into an object that is open.
void write_run_measures(wire::JsonWriter& json, const MeasuredRun& measured, bool with_queues);

/// For people: a line a run, then a line for each run and queue.
[[nodiscard]] std::string jobs_table(const std::vector<MeasuredRun>& runs);
/// A line for each run, one for each of its queues and one for each size of job; `*`: all of them.
[[nodiscard]] std::string jobs_csv(const std::vector<MeasuredRun>& runs);
/// The same and the curves.
[[nodiscard]] std::string jobs_json(const std::vector<MeasuredRun>& runs);
/// Of each run and part of the time a line for each queue and one of all of them (`*`).
[[nodiscard]] std::string jobs_curves(const std::vector<MeasuredRun>& runs);
/// The measures without the curves, as Prometheus reads it (MetricsText).
[[nodiscard]] std::string jobs_metrics(const std::vector<MeasuredRun>& runs);

}  // namespace dray::report
