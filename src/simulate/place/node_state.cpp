#include "simulate/place/node_state.h"

#include <algorithm>

namespace dray::simulate {

int NodeState::idle_gpus() const {
  return static_cast<int>(std::ranges::count(free_gpus(), whole_gpu));
}

bool NodeState::fits(const Shape& shape) const {
  if (shape.milli_cpu > milli_cpu || shape.memory_mib > memory_mib || pods_left == 0) return false;
  if (shape.gpus == 0) return true;
  if (shape.total_gpu_milli() > gpu_milli || ((shape.models >> model) & 1U) == 0) return false;
  int found = 0;
  for (const auto left : free_gpus()) {
    if (left >= shape.gpu_milli && ++found == shape.gpus) return true;
  }
  return false;
}

void NodeState::take(const Shape& shape, GpuBits gpus_taken) {
  milli_cpu -= shape.milli_cpu;
  memory_mib -= shape.memory_mib;
  --pods_left;
  gpu_milli -= shape.total_gpu_milli();
  if (shape.gpus > 0) ++held[gpu_class(shape)];
  for (std::size_t i = 0; i < gpus; ++i) {
    if ((gpus_taken >> i) & 1U) free[i] = static_cast<std::uint16_t>(free[i] - shape.gpu_milli);
  }
}

void NodeState::give_back(const Shape& shape, GpuBits gpus_taken) {
  milli_cpu += shape.milli_cpu;
  memory_mib += shape.memory_mib;
  ++pods_left;
  gpu_milli += shape.total_gpu_milli();
  if (shape.gpus > 0) --held[gpu_class(shape)];
  for (std::size_t i = 0; i < gpus; ++i) {
    if ((gpus_taken >> i) & 1U) free[i] = static_cast<std::uint16_t>(free[i] + shape.gpu_milli);
  }
}

std::size_t gpu_class(const Shape& shape) {
  if (shape.gpus == 1) return shape.gpu_milli < whole_gpu ? 0 : 1;
  if (shape.gpus == 2) return 2;
  if (shape.gpus == 4) return 3;
  if (shape.gpus == 8) return 4;
  return 5;
}

GpuBits least_left(const NodeState& node, const Shape& shape) {
  GpuBits taken = 0;
  for (int n = 0; n < shape.gpus; ++n) {
    std::size_t best = most_gpus;
    for (std::size_t i = 0; i < node.gpus; ++i) {
      if (((taken >> i) & 1U) != 0 || node.free[i] < shape.gpu_milli) continue;
      if (best == most_gpus || node.free[i] < node.free[best]) best = i;
    }
    taken |= GpuBits{1} << best;
  }
  return taken;
}

}  // namespace dray::simulate
