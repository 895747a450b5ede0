#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "dray/policy/config.h"
#include "dray/simulate/pods_run.h"
#include "report/jobs_report.h"
#include "report/page_data.h"

namespace dray::report {

/// Runs of pods, by policy and seed.
struct PodsRunOfSeed {
  std::uint64_t seed = 0;
  simulate::PodsRun run;
  std::optional<MeasuredRun> measured = {};  ///< each pod as a job in time
};

/// Where runs of pods were made.
struct PodsPlace {
  std::vector<KubeObject> cluster;
  /// Of each run, null where none was in force.
  std::vector<std::shared_ptr<const policy::PolicyConfig>> policies;
  std::string gpus;  ///< as simulate::as_jobs() has it, whose errors the following have
};
/// Measures each run, for itself, as runs of jobs in time are.
[[nodiscard]] Result<void> measure_pods(std::vector<PodsRunOfSeed>& runs, const PodsPlace& place);
/// The data of a page on them. `runs`: policy by policy, as many of each as there are seeds.
[[nodiscard]] Result<std::string> pods_page_data(const About& about,
                                                 const std::vector<PodsRunOfSeed>& runs,
                                                 const PodsPlace& place);

/// Of those that are measured.
[[nodiscard]] std::vector<MeasuredRun> measured_of(const std::vector<PodsRunOfSeed>& runs);

/// For people: a line a run, then how many pods wait for what.
[[nodiscard]] std::string pods_table(const std::vector<PodsRunOfSeed>& runs);
/// A line for each pod of each run.
[[nodiscard]] std::string pods_csv(const std::vector<PodsRunOfSeed>& runs);
/// Of each run its measures (also as those of jobs in time, where they are known), and each pod:
/// when it came, began and ended, where, with which devices, or why it waits.
[[nodiscard]] std::string pods_json(const std::vector<PodsRunOfSeed>& runs);
/// The measures of each run, as Prometheus reads them (MetricsText).
[[nodiscard]] std::string pods_metrics(const std::vector<PodsRunOfSeed>& runs);

}  // namespace dray::report
