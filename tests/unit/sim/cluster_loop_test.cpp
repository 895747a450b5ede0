#include "sim/cluster_loop.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "tests/unit/sim/loop_world.h"

namespace dray::sim::cluster_loop_test {

using namespace std::chrono_literals;
using dray::testing::LoopWorld;

TEST_CASE("a pod with a claim from a template goes all the way, and runs") {
  LoopWorld world;
  world.start();
  world.pod("p");
  CHECK(world.find("p")->scheduling_gates.size() == 1);
  const auto took = world.until([&] { return world.bound("p"); });
  REQUIRE(took);
  CHECK(*took < 1s);
  world.pass(1s);
  const auto* pod = world.find("p");
  CHECK(pod->scheduling_gates.empty());
  CHECK(pod->phase == "Running");
  const auto& counts = world.loop.counts();
  CHECK(counts.binds == 1);
  CHECK(counts.binds_failed == 0);
  CHECK(counts.filters >= 1);
}

TEST_CASE("without a replica a gated pod stays where it is") {
  LoopWorld world;
  world.pod("p");
  world.pass(60s);
  CHECK_FALSE(world.bound("p"));
  CHECK(world.find("p")->scheduling_gates.size() == 1);
  CHECK(world.loop.leader() == nullptr);
}

TEST_CASE("the same calls and weather are the same run, other weather is another") {
  const auto hash = [](Duration list_delay) {
    LoopWorld world;
    world.weather.engine_lists[Kind::node] = list_delay;
    world.start();
    world.pod("p");
    world.pass(10s);
    return world.loop.trace_hash();
  };
  CHECK(hash(5ms) == hash(5ms));
  CHECK(hash(5ms) != hash(60ms));
}

TEST_CASE("the observer is told every commit, in its order") {
  LoopWorld world;
  std::vector<std::uint64_t> revisions;
  world.loop.set_observer([&](const WatchEvent& event) { revisions.push_back(event.revision); });
  world.start();
  world.pod("p");
  world.pass(5s);
  CHECK(revisions.size() > 5);
  CHECK(std::ranges::is_sorted(revisions));
}

TEST_CASE("a run that does not come to rest says so") {
  LoopWorld world;
  world.start();
  CHECK_FALSE(world.loop.run_until(world.loop.now() + 60s, 3));
  CHECK(world.loop.run_until(world.loop.now() + 60s, 100'000));
}

}  // namespace dray::sim::cluster_loop_test
