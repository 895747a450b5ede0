#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dray/simulate/measures.h"
#include "dray/simulate/workload.h"
#include "report/jobs_report.h"

namespace dray::report {

using simulate::size_class;
using simulate::size_class_name;
using simulate::size_classes;

/// Jobs of one size, and how long those that started waited.
struct SizeWaits {
  std::size_t size = 0;  ///< class
  std::size_t jobs = 0;
  std::size_t started = 0;
  double p50 = 0;  ///< seconds
  double p95 = 0;

  bool operator==(const SizeWaits&) const = default;
};

/// How long jobs waited in all.
struct Waits {
  std::vector<double> percentiles;  ///< 0 to 100, of jobs that started; seconds
  std::vector<SizeWaits> sizes;     ///< that the workload has, from the smallest
};
[[nodiscard]] Waits waits_of(const simulate::Workload& workload, const simulate::JobsRun& run);

/// A job that was done later under one policy than under another.
struct LaterJob {
  std::size_t job = 0;          ///< of the workload
  std::optional<double> later;  ///< seconds; absent: it was done under the other alone

  bool operator==(const LaterJob&) const = default;
};

/// How each job fared against the same one of a first run. A job is done when it ended, or where it
/// runs for ever, when it started.
struct Fared {
  std::size_t later = 0;
  std::size_t sooner = 0;
  std::size_t same = 0;
  std::vector<LaterJob> worst;  ///< first those that were never done, then by how much later
};
/// At most `most` of the worst.
[[nodiscard]] Fared compare_jobs(const simulate::Workload& workload, const simulate::JobsRun& first,
                                 const simulate::JobsRun& other, std::size_t most);

}  // namespace dray::report
