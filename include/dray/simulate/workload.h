#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"

namespace dray::simulate {

/// Thousandths of one GPU: what traces of shared GPUs count in.
inline constexpr std::int32_t whole_gpu = 1000;
/// GPUs that a node may have.
inline constexpr std::size_t most_gpus = 16;

/// A node with GPUs, as traces describe it.
struct GpuNode {
  std::string name;
  std::int64_t milli_cpu = 0;
  std::int64_t memory_mib = 0;
  std::int32_t gpus = 0;
  std::string model;  ///< of its GPUs

  bool operator==(const GpuNode&) const = default;
};

/// What one pod asks of its node.
struct PodAsk {
  std::int64_t milli_cpu = 0;
  std::int64_t memory_mib = 0;
  std::int32_t gpus = 0;                 ///< different GPUs of one node
  std::int32_t gpu_milli = 0;            ///< of each; less than whole_gpu only of one
  std::vector<std::string> models = {};  ///< of GPUs that will do; empty: any

  /// Thousandths of GPUs in all.
  [[nodiscard]] std::int64_t total_gpu_milli() const {
    return static_cast<std::int64_t>(gpus) * gpu_milli;
  }
  auto operator<=>(const PodAsk&) const = default;
};

/// A job of a trace: `pods` equal pods that start together.
struct TraceJob {
  std::string name;
  std::string queue;
  Duration submitted{0};             ///< since the beginning of the trace
  std::optional<Duration> run_time;  ///< absent: for ever
  std::int32_t pods = 1;
  PodAsk ask;  ///< of each pod

  bool operator==(const TraceJob&) const = default;
};

/// What is to be scheduled, in the order of the trace.
struct Workload {
  std::vector<TraceJob> jobs;

  bool operator==(const Workload&) const = default;
};

}  // namespace dray::simulate
