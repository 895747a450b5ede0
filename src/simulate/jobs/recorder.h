#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dray/simulate/jobs_run.h"

namespace dray::simulate {

/// Writes down what happens to jobs, whoever decides: records, curves, counts.
class Recorder {
 public:
  Recorder(const Setting& setting, JobsRun& run);

  void arrived(std::size_t job, Duration now);
  void started(std::size_t job, Duration now);
  /// It begins anew when it starts again; `moved`: which it does at once.
  void evicted(std::size_t job, Duration now, bool moved);
  void ended(std::size_t job, Duration now);
  /// The end of the run: what still runs or waits counts until now.
  void finish(Duration now);

 private:
  /// From `from` until `to` the job held, or waited for, its GPUs.
  struct Stretch {
    std::uint32_t queue;
    bool held;
    Duration from;
    Duration to;
    double gpus;
  };
  enum class State : std::uint8_t { absent, waiting, running };
  struct Now {
    State state = State::absent;
    Duration since{0};
  };

  void leave(std::size_t job, Duration now);
  [[nodiscard]] double gpus_of(std::size_t job) const;
  void draw(Duration first, Duration last);

  const Setting& setting_;
  JobsRun& run_;
  std::vector<Now> now_;
  std::vector<std::uint32_t> queue_of_;
  std::vector<Stretch> stretches_;
};

}  // namespace dray::simulate
