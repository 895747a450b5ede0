#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dray/simulate/experiment.h"
#include "dray/simulate/jobs_run.h"

namespace dray::report {

/// GPUs of one node that one pod holds for a while.
struct Hold {
  std::uint32_t node = 0;
  std::uint32_t gpus = 0;  ///< as bits; 0: `count` of them, whichever are free
  std::int32_t count = 0;
  std::int32_t milli = 0;   ///< of each
  std::uint32_t queue = 0;  ///< place in the list of names
  double from = 0;          ///< in the unit of the moments
  double to = 0;
};

/// What a map shows of a cluster.
struct MapFrame {
  std::vector<std::uint32_t> nodes;  ///< those that are shown
  std::vector<double> moments;
};
/// At most so many moments, and so many nodes, evenly chosen, that all moments of a map have at
/// most `most_gpus` GPUs together.
[[nodiscard]] MapFrame frame_map(const std::vector<simulate::GpuNode>& nodes,
                                 const std::vector<double>& moments, std::size_t most_moments,
                                 std::size_t most_gpus);

/// A text for each moment, a letter for each GPU of the frame's nodes: `.` free, `a` to `y` held by
/// the queue of that place, `z` by a later one; a capital where part of the GPU is free. A GPU that
/// queues share has the letter of the one with the most.
[[nodiscard]] std::vector<std::string> draw_map(const std::vector<simulate::GpuNode>& nodes,
                                                const MapFrame& frame, std::vector<Hold> holds);

/// What pods of a run held, in seconds since the first arrival. `queues`: names in order.
[[nodiscard]] std::vector<Hold> holds_of(const simulate::Workload& workload,
                                         const simulate::JobsRun& run,
                                         const std::vector<std::string>& queues);
/// The same for an experiment, whose time is counted in pods that have arrived.
[[nodiscard]] std::vector<Hold> holds_of(const simulate::Workload& workload,
                                         const simulate::ExperimentRun& run,
                                         const simulate::ArrivalOrder& order,
                                         const std::vector<std::string>& queues);

}  // namespace dray::report
