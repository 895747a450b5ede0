#pragma once

#include <initializer_list>

#include "simulate/place/node_state.h"

// A node as it is after some use, and what pods ask.

namespace dray::simulate::testing {

inline NodeState node(std::int64_t milli_cpu, std::initializer_list<std::uint16_t> free) {
  NodeState state;
  state.milli_cpu = milli_cpu;
  state.memory_mib = 1000;
  state.pods_left = 10;
  for (const auto left : free) {
    state.free[state.gpus++] = left;
    state.gpu_milli += left;
  }
  return state;
}

inline Shape shape(std::int64_t milli_cpu, std::int32_t gpus, std::int32_t gpu_milli) {
  return {milli_cpu, 0, gpus, gpu_milli, ~std::uint64_t{0}};
}

}  // namespace dray::simulate::testing
