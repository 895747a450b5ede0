#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/simulate/jobs_run.h"

namespace dray::simulate {

/// What a run was like for some of its jobs.
struct Measures {
  std::string queue;  ///< empty: all of them
  std::size_t jobs = 0;
  std::size_t ended = 0;
  std::size_t started = 0;
  double wait_mean = 0;  ///< seconds in all, of jobs that started
  double wait_p50 = 0;
  double wait_p95 = 0;
  double wait_p99 = 0;
  double gang_wait_p95 = 0;  ///< of jobs of several pods
  std::size_t evictions = 0;
  std::size_t preemptions = 0;  ///< of the evictions: for priority within a queue
  std::size_t failures = 0;     ///< of jobs, by nodes that failed
  std::size_t moves = 0;
  double lost_gpu_hours = 0;  ///< run, and run again
  double gpu_hours = 0;       ///< of jobs, without what was lost
  double held = 0;            ///< GPUs, on average over the run
  // Of queues, and the sums of a run, where fair shares are known (report/fair_shares.h):
  double fair_share = 0;  ///< GPUs, on average over the run
  double owed = 0;        ///< GPUs that it held less than its fair share, on average
};

/// Classes of jobs by the GPUs that they ask for in all, from the smallest.
inline constexpr std::size_t size_classes = 8;
[[nodiscard]] std::size_t size_class(const TraceJob& job);
/// `part of a GPU`, `1 GPU`, `up to 4 GPUs`…
[[nodiscard]] std::string_view size_class_name(std::size_t size);

/// Jobs of one size.
struct SizeMeasures {
  std::size_t size = 0;  ///< class
  Measures some;
};

/// How the cluster fared as a whole.
struct RunMeasures {
  Measures all;
  std::vector<Measures> queues;  ///< in the order of their names
  double utilisation = 0;        ///< GPUs held, % of all, from the first arrival to the end
  double makespan = 0;           ///< seconds, from the first arrival to the last end
  /// Jain's index of the parts of their demand that the queues held, over time: 1 is even.
  double jain = 0;
  std::vector<SizeMeasures> sizes;  ///< that the workload has, from the smallest
  /// % of the placed pods of several devices that have all of them on one PCIe root or NUMA node,
  /// by the levels of the policy; absent: no devices with attributes were placed.
  std::optional<double> aligned;
  double fragmented = 0;       ///< FGD's measure on average over time, % of all GPUs
  double fragmented_idle = 0;  ///< the same, % of the idle ones
};

/// As times are measured: in seconds.
[[nodiscard]] double in_seconds(Duration time);

/// The `percent`th percentile by the nearest rank; 0 of nothing. Sorts the values.
[[nodiscard]] double percentile(std::vector<double>& values, double percent);
/// Jain's index of each part of the time; 1 where nobody asks for anything.
[[nodiscard]] std::vector<double> jain_over_time(const std::vector<Curve>& curves);
[[nodiscard]] RunMeasures measure(const Workload& workload, const JobsRun& run);

}  // namespace dray::simulate
