#include "engine/books/share_offers.h"

#include <catch2/catch.hpp>

#include "dray/cluster/state.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::share_offers_test {
namespace {

policy::Fractions rule(std::vector<std::string> others = {"cores"}) {
  return {ClassName("gpu"), "memory", std::move(others), ""};
}

ResourceSlice shared(const std::string& node, const std::vector<std::int64_t>& gib) {
  auto slice = make_gpus(node, static_cast<int>(gib.size()));
  for (std::size_t i = 0; i < gib.size(); ++i) {
    auto& device = slice.devices[i];
    device.allow_multiple_allocations = true;
    device.capacity["memory"] = {.value = Quantity(gib[i] << 30), .request_policy = {}};
    device.capacity["cores"] = {.value = Quantity(100), .request_policy = {}};
  }
  return slice;
}

std::string sizes(const ShareOffers& offers) {
  std::string text;
  for (const auto& offer : offers.all()) {
    text += std::to_string(static_cast<std::int64_t>(offer.memory.as_approximate_double()) >> 30);
    text += ' ';
  }
  return text;
}

struct World {
  cluster::ClusterState cluster;
  ShareOffers offers;

  World() { offers.set_rule(rule(), *cluster.snapshot()); }
  void put(const ResourceSlice& slice) {
    cluster.apply(cluster::ObjectChanged{slice});
    offers.put(slice);
  }
};

TEST_CASE("each size once, the smallest first") {
  World world;
  world.put(shared("n0", {80, 40, 80}));
  world.put(shared("n1", {40, 16}));
  CHECK(sizes(world.offers) == "16 40 80 ");
  CHECK(world.offers.all()[0].driver == DriverName("gpu.example.com"));
  CHECK(world.offers.all()[0].others == std::vector{Quantity(100)});
}

TEST_CASE("a size goes with the last slice that has it") {
  World world;
  world.put(shared("n0", {80, 40}));
  world.put(shared("n1", {40}));
  world.offers.erase("n0-gpus");
  CHECK(sizes(world.offers) == "40 ");
  world.offers.erase("n0-gpus");
  CHECK(sizes(world.offers) == "40 ");
  world.put(shared("n1", {24}));
  CHECK(sizes(world.offers) == "24 ");
  world.offers.erase("n1-gpus");
  CHECK(sizes(world.offers).empty());
}

TEST_CASE("only devices that may be shared and have all the capacities are offered") {
  World world;
  auto slice = shared("n0", {80, 40, 16});
  slice.devices[0].allow_multiple_allocations = false;
  slice.devices[1].capacity.erase("cores");
  slice.devices[2].capacity.erase("memory");
  world.put(slice);
  CHECK(sizes(world.offers).empty());
}

TEST_CASE("another rule looks at all devices again; none offers nothing") {
  World world;
  auto slice = shared("n0", {40});
  slice.devices[0].capacity.erase("cores");
  world.put(slice);
  CHECK(sizes(world.offers).empty());
  world.offers.set_rule(rule({}), *world.cluster.snapshot());
  CHECK(sizes(world.offers) == "40 ");
  world.offers.set_rule(std::nullopt, *world.cluster.snapshot());
  CHECK(sizes(world.offers).empty());
  world.put(shared("n1", {80}));
  world.offers.erase("n1-gpus");
  CHECK(sizes(world.offers).empty());
}

}  // namespace
}  // namespace dray::engine::share_offers_test
