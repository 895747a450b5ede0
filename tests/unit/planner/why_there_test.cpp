#include "planner/place/why_there.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::why_there_test {

using namespace worlds;
namespace {

/// What a plan says of a job that it starts.
std::string why(World& world, const std::string& job) {
  const auto plan = world.plan();
  const auto made = std::ranges::find(plan.jobs, world.job(job).uid, &JobOutcome::job);
  REQUIRE(made != plan.jobs.end());
  REQUIRE(made->reason == Reason::none);
  return made->detail;
}

Device at(const std::string& name, const std::string& root, std::int64_t numa) {
  return testing::device(
      name, {{"resource.kubernetes.io/pcieRoot", root}, {"resource.kubernetes.io/numaNode", numa}});
}

/// A node of devices that are so placed.
void put_node(World& world, const std::string& name, std::vector<Device> devices) {
  world.node(name, 0);
  world.tell(testing::make_slice(name, std::move(devices)));
}

}  // namespace

TEST_CASE("pack says what was free, what is whole, and what stays so") {
  World world;
  world.node("a", 4);
  world.node("b", 4);
  world.node("c", 8);
  world.running("r", "b", 0, 1, "a");
  SECTION("a node in use spares one that is not") {
    world.waiting("p", 1, "a");
    CHECK(why(world, "p") ==
          "keeps a whole: 3 of 4 gpu were free here, the fewest that do (of 3 nodes)");
  }
  SECTION("a node that does not take the pod is not spared") {
    world.waiting("p", 1, "a", [](Pod& pod) { pod.node_selector["pool"] = "b"; });
    world.node("b", 4, [](Node& node) { node.meta.labels["pool"] = "b"; });
    CHECK(why(world, "p") == "the fullest with room: 3 of 4 gpu were free (of 3 nodes)");
  }
  SECTION("the last devices of a node") {
    world.waiting("p", 3, "a");
    CHECK(why(world, "p") == "fills the node: the last 3 of 4 gpu (of 3 nodes)");
  }
  SECTION("a whole node") {
    world.waiting("p", 8, "a");
    CHECK(why(world, "p") == "takes the node whole: all 8 gpu (of 3 nodes)");
  }
  SECTION("a part of a node that nobody uses") {
    world.waiting("p", 5, "a");
    CHECK(why(world, "p") == "the fullest with room: 8 of 8 gpu were free (of 3 nodes)");
  }
}

TEST_CASE("spread says how empty the node was") {
  World world;
  world.node("a", 4);
  world.node("b", 4);
  world.running("r", "a", 0, 1, "a");
  world.waiting("p", 1, "a");
  world.config.placement["gpu"] = policy::PlacementStrategy::spread;
  CHECK(why(world, "p") == "the emptiest with room: 4 of 4 gpu were free (of 2 nodes)");
}

TEST_CASE("devices that are together say on what, on the closest level") {
  World world;
  put_node(world, "a",
           {at("g0", "r0", 0), at("g1", "r0", 0), at("g2", "r1", 0), at("g3", "r2", 1)});
  world.node("b", 0);
  world.options.mode = alloc::Mode::best;
  SECTION("a root") {
    world.waiting("p", 2, "a");
    CHECK(why(world, "p").starts_with("its 2 gpu on one PCIe root; "));
  }
  SECTION("a NUMA node") {
    world.waiting("p", 3, "a");
    CHECK(why(world, "p").starts_with("its 3 gpu on one NUMA node; "));
  }
  SECTION("nothing") {
    world.waiting("p", 4, "a");
    CHECK_FALSE(why(world, "p").contains(" on one "));
  }
  SECTION("one device is alone") {
    world.waiting("p", 1, "a");
    CHECK_FALSE(why(world, "p").contains(" on one "));
  }
}

TEST_CASE("where there is a choice, which one it got") {
  World world;
  world.node("a", 3);
  world.node("b", 3);
  world.running("r", "a", 0, 1, "a");
  world.waiting("p", 1, "a");
  auto claim = make_claim("c-p", 1, "p");
  auto spec = *claim.spec.requests[0].exactly;
  spec.name = "many";
  spec.count = 5;
  auto few = spec;
  few.name = "few";
  few.count = 1;
  claim.spec.requests[0] = {.name = "gpu", .exactly = {}, .first_available = {spec, few}};
  world.tell(claim);
  CHECK(why(world, "p").starts_with("its choice 2 of 2, few; keeps b whole: 2 of 3 gpu "));
}

}  // namespace dray::planner::why_there_test
