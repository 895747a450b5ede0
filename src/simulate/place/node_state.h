#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dray/simulate/workload.h"

namespace dray::simulate {

/// The GPUs of a placed pod, as bits.
using GpuBits = std::uint32_t;

/// What decides where a pod goes: equal asks are one shape.
struct Shape {
  std::int64_t milli_cpu = 0;
  std::int64_t memory_mib = 0;
  std::int32_t gpus = 0;
  std::int32_t gpu_milli = 0;
  std::uint64_t models = 0;  ///< bits of the models that will do; all bits: any

  [[nodiscard]] std::int64_t total_gpu_milli() const {
    return static_cast<std::int64_t>(gpus) * gpu_milli;
  }
  bool operator==(const Shape&) const = default;
};

/// Kinds of pods that `clustering` keeps together: parts of a GPU, 1, 2, 4, 8 GPUs, other numbers.
inline constexpr std::size_t gpu_classes = 6;

/// What is free of a node. A plain value: the placement of a pod and its undoing are additions.
struct NodeState {
  std::int64_t milli_cpu = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpu_milli = 0;                     ///< of all its GPUs together
  std::array<std::uint16_t, most_gpus> free{};    ///< of each
  std::array<std::uint16_t, gpu_classes> held{};  ///< pods of each class
  std::uint16_t pods_left = 0;
  std::uint8_t gpus = 0;
  std::uint8_t model = 0;

  [[nodiscard]] std::span<const std::uint16_t> free_gpus() const { return {free.data(), gpus}; }
  /// GPUs that nobody uses.
  [[nodiscard]] int idle_gpus() const;
  /// Whether the pod fits: CPU, memory, places for pods, the model, enough GPUs with enough left.
  [[nodiscard]] bool fits(const Shape& shape) const;
  void take(const Shape& shape, GpuBits gpus_taken);
  void give_back(const Shape& shape, GpuBits gpus_taken);
};

[[nodiscard]] std::size_t gpu_class(const Shape& shape);
/// The fitting GPUs with the least left, the lowest of equal ones: for whole GPUs the first idle
/// ones. Only for a pod that fits.
[[nodiscard]] GpuBits least_left(const NodeState& node, const Shape& shape);

}  // namespace dray::simulate
