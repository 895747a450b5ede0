#pragma once

#include <chrono>
#include <string>

#include "tests/dst/storm.h"

namespace dray::dst {

/// The cluster and the workload of a seed.
struct World {
  int nodes;
  int devices;  ///< of each node
  int pods;
  int gangs;
  bool gated;
  bool protect_claims;
  bool nominate;
  bool plan_inline;
  Duration bind_timeout;
  Duration reservation_life;

  static World of(Dice& dice) {
    return {.nodes = static_cast<int>(dice.between(1, 4)),
            .devices = static_cast<int>(dice.between(1, 3)),
            .pods = static_cast<int>(dice.between(4, 16)),
            .gangs = dice.chance(60) ? static_cast<int>(dice.between(1, 3)) : 0,
            .gated = dice.chance(65),
            .protect_claims = dice.chance(50),
            .nominate = dice.chance(30),
            .plan_inline = dice.chance(30),
            .bind_timeout = std::chrono::seconds(dice.chance(50) ? 30 : 2),
            .reservation_life = std::chrono::seconds(dice.chance(60) ? 90 : 3)};
  }

  [[nodiscard]] sim::LoopOptions loop_options(std::uint64_t seed) const {
    sim::LoopOptions options;
    options.server.gate_pods = gated;
    options.server.protect_claims = protect_claims;
    options.server.seed = seed;
    options.scheduler.seed = seed;
    options.engine.nominate_from_nodes = nominate ? 1 : 1000;
    options.engine.plan_inline = plan_inline;
    options.engine.reservation_life = reservation_life;
    options.bind_timeout = bind_timeout;
    return options;
  }

  [[nodiscard]] static std::string node_name(int index) { return "n" + std::to_string(index); }
};

}  // namespace dray::dst
