#include "planner/late_reprieve.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::late_reprieve_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

/// A queue that holds all of its limit, and has four GPUs more on `free`.
World world_with_limit(std::int64_t gpus) {
  World world;
  world.allow_all_actions();
  world.queue("x", 0).limit["gpu"] = Quantity(gpus);
  world.node("n0", 4);
  world.node("n1", 3);
  world.node("free", 4);
  return world;
}

TEST_CASE("victims stay that a later job's victim makes needless, the first served first") {
  auto world = world_with_limit(5);
  world.running("least", "n0", 0, 1, "x").priority = -1;
  world.running("large", "n0", 1, 3, "x");
  world.running("small", "n1", 0, 1, "x").created += 1s;
  world.waiting("top", 2, "x").priority = 2;
  auto& next = world.waiting("next", 1, "x");
  next.priority = 1;
  SECTION("all of them") {
    const auto made = world.plan();
    CHECK(evicted(made) == Names{"large"});
    REQUIRE(made.evictions.size() == 1);
    CHECK(made.evictions[0].beneficiary == Uid("uid-next"));
    CHECK(outcome(made, "top").reason == Reason::room_freed);
  }
  SECTION("as far as the limit goes") {
    world.running("older", "n1", 1, 1, "x").preemptible = false;
    world.config.queues[0].limit["gpu"] = Quantity(6);
    world.waiting("last", 1, "x").priority = 1;
    const auto made = world.plan();
    CHECK(evicted(made) == Names{"least", "large"});
  }
}

TEST_CASE("a gang stays whole or not at all") {
  auto world = world_with_limit(5);
  auto& gang = world.gang("gang", "x", 2);
  gang.priority = -1;
  world.member(gang, "gang0", 1, "n1", 0);
  world.member(gang, "gang1", 1, "n1", 1);
  world.running("large", "n0", 0, 3, "x");
  world.waiting("top", 2, "x").priority = 2;
  const bool fits = GENERATE(true, false);
  world.waiting("next", fits ? 1 : 2, "x").priority = 1;
  const auto made = world.plan();
  CHECK(evicted(made) == (fits ? Names{"large"} : Names{"gang1", "gang0", "large"}));
}

TEST_CASE("of what is above a minimum as much stays as there is room for") {
  auto world = world_with_limit(6);
  auto& elastic = world.gang("elastic", "x", 1);
  elastic.priority = -1;
  for (int i = 0; i < 3; ++i) {
    world.member(elastic, "elastic" + std::to_string(i), 1, "n1", i);
  }
  world.running("large", "n0", 0, 3, "x");
  world.waiting("top", 2, "x").priority = 2;
  world.waiting("next", 2, "x").priority = 1;
  const auto made = world.plan();
  CHECK(evicted(made) == Names{"elastic2", "large"});
}

TEST_CASE("nobody stays in room that another has got") {
  World world;
  world.allow_all_actions();
  world.queue("x", 0);
  world.node("n0", 4);
  world.running("low", "n0", 0, 4, "x");
  world.waiting("top", 4, "x").priority = 1;
  CHECK(evicted(world.plan()) == Names{"low"});
}

}  // namespace
}  // namespace dray::planner::late_reprieve_test
