#pragma once

#include <cstddef>
#include <optional>
#include <queue>
#include <vector>

#include "dray/simulate/workload.h"

namespace dray::simulate {

/// What comes by time alone: jobs arrive, and running ones end. Of one moment ends come first, then
/// arrivals in the order of the trace.
class Arrivals {
 public:
  explicit Arrivals(const Workload& workload);

  /// When the next comes; none: nothing does any more.
  [[nodiscard]] std::optional<Duration> next() const;
  /// The job that arrives, or ends, at next().
  struct Event {
    std::size_t job = 0;
    bool arrives = false;
  };
  [[nodiscard]] Event take();

  /// The job runs from now on.
  void started(std::size_t job, Duration now);
  /// It does no more: its end is void.
  void stopped(std::size_t job);

 private:
  struct End {
    Duration at;
    std::size_t job;
    std::uint32_t run;
    auto operator<=>(const End&) const = default;
  };
  void drop_void();

  const Workload& workload_;
  std::vector<std::size_t> order_;
  std::size_t arrived_ = 0;
  std::vector<std::uint32_t> runs_;  ///< by job: how often it started or stopped
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace dray::simulate
