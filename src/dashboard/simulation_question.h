#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/policy/config.h"
#include "dray/simulate/pods_run.h"

namespace dray::dashboard {

/// What one may ask of a service that has other things to do.
struct SimulationLimits {
  std::size_t at_a_time = 1;  ///< more are told to come again; 0: none
  std::uint64_t body_bytes = std::uint64_t{2} << 20;
  std::size_t objects = 2'000;  ///< of a workload
  std::size_t policies = 8;
  std::size_t cluster_objects = 300'000;
  Duration virtual_time = std::chrono::hours(24 * 7);
  std::chrono::milliseconds time = std::chrono::minutes(10);  ///< that a run may take
  /// That the process may grow by meanwhile, whoever it is that needs them.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
};

/// A policy under which is played.
struct TriedPolicy {
  /// Which policy it is: the file in force, no file at all, or the one given.
  enum class Which : std::uint8_t { in_force, none, given };

  std::string name = "in force";
  Which which = Which::in_force;
  std::shared_ptr<const policy::PolicyConfig> config = {};  ///< of a given one
};

/// What somebody wants to know: how the pods of the workload would fare beside those that are
/// there; without a workload, what the policies would change at once, and how what waits would
/// fare.
struct SimulationQuestion {
  /// How the answer is written.
  enum class Form : std::uint8_t { json, table, csv, prometheus };

  std::optional<simulate::PodWorkload> workload;
  std::vector<TriedPolicy> policies;  ///< at least one
  std::optional<Duration> until;
  std::optional<Duration> run_time;    ///< of pods that do not say how long they run
  std::optional<Duration> plan_pause;  ///< absent: the service's
  bool backlog = false;
  std::uint64_t seed = 42;
  Form form = Form::json;
  std::vector<std::string> ignored;  ///< objects of the workload that dray does not read
};

/// Reads the body of a request. Errors name the field and, in a workload or a policy, the line:
/// `workload:12: Pod default/p0: spec.priority: expected an integer, not a string`.
[[nodiscard]] Result<SimulationQuestion> read_question(std::string_view body,
                                                       const SimulationLimits& limits);

}  // namespace dray::dashboard
