#include "planner/stale_gangs.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::stale_gangs_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

/// One of two members runs.
Job& half_gang(World& world) {
  world.node("n0", 4);
  world.config.gangs.stale_after = 60s;
  auto& gang = world.gang("g", "a", 2);
  world.member(gang, "g0", 1, "n0", 0);
  world.member(gang, "g1", 1);
  return gang;
}

TEST_CASE("a gang below its minimum ends when its grace period has") {
  World world;
  auto& gang = half_gang(world);
  const auto since = GENERATE(-59s, -60s);
  gang.stale_since = start + since;
  Parts parts(world);
  const auto made = find_stale_gangs(parts.context, parts.memory.jobs());
  REQUIRE(made.stale.size() == 1);
  CHECK(made.stale[0] == StaleGang{Uid("uid-g"), start + since});
  if (since == -59s) {
    CHECK(made.evictions.empty());
    CHECK(made.again_at == start + 1s);
    return;
  }
  REQUIRE(made.evictions.size() == 1);
  CHECK(made.evictions[0].pods == std::vector<Uid>{Uid("uid-g0")});
  CHECK(made.evictions[0].cause == EvictionCause::stale_gang);
  CHECK_FALSE(made.evictions[0].beneficiary);
  CHECK_FALSE(made.again_at);
}

TEST_CASE("the grace period begins when it is first seen, and may be the gang's own, or none") {
  World world;
  auto& gang = half_gang(world);
  SECTION("first seen") {
    Parts parts(world);
    const auto made = find_stale_gangs(parts.context, parts.memory.jobs());
    CHECK(made.stale == std::vector<StaleGang>{{Uid("uid-g"), start}});
    CHECK(made.again_at == start + 60s);
  }
  SECTION("its own") {
    gang.stale_after = 10s;
    gang.stale_since = start - 11s;
    Parts parts(world);
    CHECK(find_stale_gangs(parts.context, parts.memory.jobs()).evictions.size() == 1);
  }
  SECTION("never") {
    gang.stale_after = -1s;
    gang.stale_since = start - 1h;
    Parts parts(world);
    const auto made = find_stale_gangs(parts.context, parts.memory.jobs());
    CHECK(made.stale.empty());
    CHECK(made.evictions.empty());
  }
}

TEST_CASE("a gang that has its minimum, has not begun or is ending is not stale") {
  World world;
  auto& gang = half_gang(world);
  const auto which = GENERATE(0, 1, 2);
  if (which == 0) gang.gang.pod_sets[0].min_member = 1;
  if (which == 1) gang.members[0].state = MemberState::waiting;
  if (which == 2) {
    auto pod = *gang.members[1].pod;
    pod.phase = "Succeeded";
    gang.members[1] = {
        .pod = std::make_shared<const Pod>(pod), .state = MemberState::done, .node = {}};
  }
  Parts parts(world);
  CHECK(find_stale_gangs(parts.context, parts.memory.jobs()).stale.empty());
}

TEST_CASE("a gang that runs as many of its groups as it has to is not stale") {
  World world;
  auto& gang = half_gang(world);
  gang.stale_since = start - 1h;
  const auto needed = GENERATE(0, 1, 2);
  gang.gang = {};
  gang.gang.min_sub_group = needed;
  gang.gang.pod_sets = {
      {.name = "a", .min_member = 1, .topology = {}, .tasks = {{.id = 0}}},
      {.name = "b", .min_member = 2, .topology = {}, .tasks = {{.id = 1}}},
  };
  Parts parts(world);
  CHECK(find_stale_gangs(parts.context, parts.memory.jobs()).stale.empty() == (needed < 2));
}

TEST_CASE("a plan ends stale gangs only where that is asked for") {
  World world;
  half_gang(world).stale_since = start - 1h;
  world.node("n1", 0);
  const bool asked = GENERATE(true, false);
  world.input.actions.end_stale_gangs = asked;
  world.input.actions.place = false;
  CHECK(world.plan().evictions.size() == (asked ? 1 : 0));
}

}  // namespace
}  // namespace dray::planner::stale_gangs_test
