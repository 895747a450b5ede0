#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "tests/unit/planner/fixture.h"

// For which pods room is kept, and where.

namespace dray::planner::room_wanted_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

TEST_CASE("room is kept where the fewest pods run, of these where they have run the least") {
  World world;
  world.config.gangs.reserve_after = 10min;
  world.queue("a", 0);
  for (const auto* name : {"n0", "n1", "n2"}) world.node(name, 2);
  world.running("old", "n0", 0, 1, "a").started = start - 5h;
  world.running("young", "n1", 0, 1, "a").started = start - 1min;
  world.running("one", "n2", 0, 1, "a").started = start;
  world.running("another", "n2", 1, 1, "a").started = start;
  auto& job = world.waiting("w", 2, "a");
  job.queued = job.created = start - 1h;
  const auto made = world.plan();
  REQUIRE(made.kept);
  CHECK(made.kept->placements.front().node == NodeName("n1"));
}

TEST_CASE("room is kept for one pod that takes most of a node, though it wants one device") {
  World world;
  world.config.gangs.reserve_after = 10min;
  world.queue("a", 0);
  world.node("n0", 4, [](Node& node) {
    node.allocatable["cpu"] = Quantity(64);
    node.allocatable["memory"] = Quantity(64);
  });
  world.node("cpu", 0, [](Node& node) {
    node.allocatable["cpu"] = Quantity(256);
    node.allocatable["memory"] = Quantity(256);
  });
  const std::string most_of = GENERATE("cpu", "memory");
  const auto asks = [&](std::int64_t much) {
    return [&most_of, much](Pod& pod) {
      auto& asked = pod.pod_requests.emplace();
      asked["cpu"] = asked["memory"] = Quantity(1);
      asked[most_of] = Quantity(much);
    };
  };
  world.running("r", "n0", 0, 1, "a", asks(40));
  const bool kept = GENERATE(true, false);
  auto& job = world.waiting("w", 1, "a", asks(kept ? 33 : 32));
  job.queued = job.created = start - 1h;
  const auto made = world.plan();
  CHECK(made.kept.has_value() == kept);
}

}  // namespace
}  // namespace dray::planner::room_wanted_test
