#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dray::app {

/// The command line of `dray simulate`.
struct SimulateFlags {
  std::string cluster;
  std::string workload;
  std::vector<std::string> policies;
  std::string order;
  double demand = 1.3;
  std::uint64_t seed = 42;
  std::uint32_t repeat = 1;
  std::uint32_t threads = 0;
  bool lenient = false;
  std::string decisions;
  std::uint32_t plan_pause = 0;  ///< seconds
  std::string output = "table";
};

void add_simulate_flags(CLI::App& command, SimulateFlags& flags);

}  // namespace dray::app
