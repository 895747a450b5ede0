#include "planner/state/device_offers.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::device_offers_test {

using namespace worlds;
namespace {

/// Plans of one policy, one after another.
struct Offers {
  World world;
  PlanMemory memory{{}};
  std::shared_ptr<const policy::Policy> policy;

  const DeviceOffers& read() {
    auto input = world.make_input();
    if (policy == nullptr) policy = input.policy;
    input.policy = policy;
    static_cast<void>(memory.start(input));
    return memory.nodes().offers();
  }
  void gone(Kind kind, const std::string& name) {
    world.state.apply(cluster::ObjectGone{kind, "", name, Uid()});
  }
};

TEST_CASE("nodes' devices are summed up by class") {
  Offers made;
  made.world.node("n0", 8);
  made.world.node("n1", 2);
  made.world.node("n2", 0);
  const auto* gpus = made.read().find(ClassName("gpu"));
  REQUIRE(gpus != nullptr);
  CHECK(gpus->fewest == 2);
  CHECK(gpus->most == 8);
  CHECK(gpus->sizes.size() == 1);
  CHECK_FALSE(gpus->shareable);
  CHECK(made.read().find(ClassName("other")) == nullptr);
}

TEST_CASE("the summary follows nodes that change and go, and its version only tells of it") {
  Offers made;
  made.world.node("n0", 8);
  made.world.node("n1", 2);
  const auto& offers = made.read();
  const auto version = offers.version();
  const auto sharing = offers.sharing_version();
  made.world.node("n2", 8);
  static_cast<void>(made.read());
  CHECK(offers.version() == version);
  auto shared = make_gpus("n1", 2);
  shared.devices[0].allow_multiple_allocations = true;
  shared.devices[0].capacity["memory"] = {.value = Quantity(8), .request_policy = {}};
  made.world.tell(shared);
  static_cast<void>(made.read());
  CHECK(offers.version() != version);
  CHECK(offers.sharing_version() != sharing);
  CHECK(offers.find(ClassName("gpu"))->sizes.size() == 2);
  CHECK(offers.find(ClassName("gpu"))->shareable);
  made.gone(Kind::node, "n1");
  made.gone(Kind::resource_slice, "n1-gpus");
  static_cast<void>(made.read());
  CHECK(offers.find(ClassName("gpu"))->fewest == 8);
  CHECK(offers.find(ClassName("gpu"))->sizes.size() == 1);
}

TEST_CASE("devices that many nodes see are every node's") {
  Offers made;
  made.world.node("n0", 4);
  auto slice = testing::make_slice("fabric", {testing::device("a"), testing::device("b")});
  slice.scope = {};
  slice.scope.all_nodes = true;
  made.world.tell(slice);
  const auto* gpus = made.read().find(ClassName("gpu"));
  CHECK(gpus->fewest == 1);
  CHECK(gpus->most == 6);
}

}  // namespace
}  // namespace dray::planner::device_offers_test
