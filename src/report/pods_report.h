#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dray/simulate/pods_run.h"

namespace dray::report {

/// Runs of pods, by policy and seed.
struct PodsRunOfSeed {
  std::uint64_t seed = 0;
  simulate::PodsRun run;
};

/// For people: a line a run, then how many pods wait for what.
[[nodiscard]] std::string pods_table(const std::vector<PodsRunOfSeed>& runs);
/// A line for each pod of each run.
[[nodiscard]] std::string pods_csv(const std::vector<PodsRunOfSeed>& runs);
/// Of each run its measures, and each pod: when it came, began and ended, where, with which
/// devices, or why it waits.
[[nodiscard]] std::string pods_json(const std::vector<PodsRunOfSeed>& runs);
/// The measures of each run, as Prometheus reads them (MetricsText).
[[nodiscard]] std::string pods_metrics(const std::vector<PodsRunOfSeed>& runs);

}  // namespace dray::report
