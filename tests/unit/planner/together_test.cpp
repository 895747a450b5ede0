#include "dray/planner/together.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::together_test {

using namespace worlds;
namespace {

/// Three devices on one NUMA node, two of these on one root, and a fourth elsewhere.
void put_node(World& world) {
  const auto at = [](const std::string& name, const std::string& root, std::int64_t numa) {
    return testing::device(name, {{"resource.kubernetes.io/pcieRoot", root},
                                  {"resource.kubernetes.io/numaNode", numa}});
  };
  world.node("a", 0);
  world.tell(testing::make_slice(
      "a", {at("g0", "r0", 0), at("g1", "r0", 0), at("g2", "r1", 0), at("g3", "r2", 1)}));
  world.options.mode = alloc::Mode::best;
}

Together of_pod(World& world, int devices) {
  put_node(world);
  world.waiting("p", devices, "a");
  const auto plan = world.plan();
  REQUIRE(plan.jobs.size() == 1);
  REQUIRE(plan.jobs[0].placements.size() == 1);
  return together(*world.state.snapshot(), plan.jobs[0].placements[0], world.config);
}

}  // namespace

TEST_CASE("a pod's devices are together on a root or a NUMA node, or apart") {
  World world;
  SECTION("one") {
    CHECK(of_pod(world, 1) == Together::alone);
  }
  SECTION("on a root") {
    CHECK(of_pod(world, 2) == Together::together);
  }
  SECTION("on a NUMA node") {
    CHECK(of_pod(world, 3) == Together::together);
  }
  SECTION("on two") {
    CHECK(of_pod(world, 4) == Together::apart);
  }
}

TEST_CASE("the policy's levels count, and no others") {
  World world;
  world.config.alignment.prefer = {"resource.kubernetes.io/pcieRoot"};
  CHECK(of_pod(world, 3) == Together::apart);
}

}  // namespace dray::planner::together_test
