#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/simulate/shard.h"
#include "dray/base/error.h"
#include "dray/simulate/jobs_run.h"

namespace CLI {
class App;
}

namespace dray::app {

/// The command line of `dray simulate`.
struct SimulateFlags {
  std::string scenario;
  std::vector<std::string> cluster;
  std::string gpus;
  std::string workload;
  std::string draw_queues;
  std::vector<std::string> policies;
  std::string order;
  double demand = 1.3;
  std::uint64_t seed = 42;
  std::uint32_t repeat = 1;
  std::uint32_t threads = 0;
  bool lenient = false;
  std::string columns;
  std::string decisions;
  std::string plan_pause;  ///< times: seconds, or with a unit
  std::string plan_every;
  std::string until;
  std::vector<std::string> churn;
  std::string apart;
  std::string run_time;
  std::string server;
  std::string token_file;  ///< who asks the server
  std::string kubeconfig;
  std::string ca_file;  ///< of the server's certificate
  std::vector<std::string> schedulers;
  std::string shard;
  std::string checkpoint;
  bool backlog = false;
  bool known_run_times = false;
  std::string report;
  std::string output = "table";
};

void add_simulate_flags(CLI::App& command, SimulateFlags& flags);

/// The runs of this process, of which `-o json` alone tells.
[[nodiscard]] Result<Shard> shard_of(const SimulateFlags& flags);
/// Reads the scenario, if one is named, and says what is missing then.
[[nodiscard]] Result<void> complete(CLI::App& command, const SimulateFlags& flags);
/// What the times among the flags say; absent: not given.
struct SimulateTimes {
  std::optional<Duration> until;
  std::optional<Duration> apart;
  std::optional<Duration> run_time;
  std::optional<Duration> plan_pause;
};
[[nodiscard]] Result<SimulateTimes> times_of(const SimulateFlags& flags);
/// What `--churn` says is to happen to the cluster, in the order of the times.
[[nodiscard]] Result<std::vector<simulate::Churn>> load_churn(
    const SimulateFlags& flags, const simulate::ChurnTargets& cluster);
/// How runs of jobs in time, or of pods, go, without churn.
[[nodiscard]] Result<simulate::JobsOptions> jobs_options(const SimulateFlags& flags);

}  // namespace dray::app
