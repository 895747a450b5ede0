#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/sim/api_server.h"
#include "sim/network.h"
#include "tests/objects/claims.h"
#include "tests/objects/meta.h"
#include "tests/objects/pods.h"

namespace dray::sim {

/// The weather that a test asks for.
struct GivenWeather : Weather {
  Fate fate = Fate::delivered;
  Duration late_by() override { return std::chrono::seconds(3); }
  Fate write_fate(std::size_t /*replica*/, const engine::Write& /*write*/) override { return fate; }
};

/// One pod behind its gate, one replica, and the way between them.
struct NetworkWorld {
  VirtualTime time{testing::start};
  ApiServer server{ApiServerOptions{.gate_pods = true}};
  GivenWeather weather;
  Trace trace{testing::start, true};
  Network network{time, server, weather, trace};
  Process process{time, 1.0, Duration{}};
  Pod pod = std::get<Pod>(*server.create(testing::make_pod("p0"), testing::start));

  [[nodiscard]] engine::Write lift() const {
    return engine::LiftGate{pod.key(), pod.meta.uid, {{"dray.dev/reservation", "n0"}}};
  }
  [[nodiscard]] bool lifted() const {
    return server.find<Pod>("default", "p0")->scheduling_gates.empty();
  }
  void pass(Duration by) { REQUIRE(time.run_until(time.now() + by, 1000)); }
  /// The policy's Lease.
  void show_lease(const std::string& holder, std::int32_t transitions) {
    Lease lease;
    lease.holder = holder;
    lease.transitions = transitions;
    network.committed({.kind = Kind::lease, .object = std::make_shared<const KubeObject>(lease)});
    pass(weather.policy_lag());
  }
};

}  // namespace dray::sim
