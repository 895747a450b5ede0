#include "planner/state/estimate.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::estimate_test {

using namespace worlds;
namespace {

using testing::exactly;
using testing::request;

/// Nodes of 8 and 2 GPUs, of 80 and 40 memory; `parts` may be shared.
struct Estimated {
  World world;
  PlanMemory memory{{}};

  explicit Estimated(bool by_memory = false, bool parts = false) {
    auto& rule = world.config.resources[0].rules[0];
    if (by_memory) {
      rule.capacity = "memory";
      rule.per = Quantity(80);
    }
    for (const auto& [name, count, size] : {std::tuple("n0", 8, 80), std::tuple("n1", 2, 40)}) {
      world.node(name, 0);
      auto gpus = make_gpus(name, count);
      for (auto& gpu : gpus.devices) {
        gpu.allow_multiple_allocations = parts;
        gpu.capacity["memory"] = {.value = Quantity(size), .request_policy = {}};
      }
      world.tell(gpus);
    }
  }
  ClaimEstimate of(DeviceRequest asked) {
    const auto input = world.make_input();
    static_cast<void>(memory.start(input));
    return estimate(make_claim("c", {std::move(asked)}), input.policy->counting,
                    &memory.nodes().offers(), {});
  }
};

DeviceRequestSpec all() {
  auto spec = exactly(0, "gpu");
  spec.allocation_mode = "All";
  return spec;
}

DeviceRequestSpec part(std::int64_t memory) {
  auto spec = exactly(1, "gpu");
  spec.has_capacity = true;
  spec.capacity_requests["memory"] = Quantity(memory);
  return spec;
}

DeviceRequest first_of(std::vector<DeviceRequestSpec> specs) {
  DeviceRequest made;
  made.name = "r";
  made.first_available = std::move(specs);
  return made;
}

TEST_CASE("a number of devices takes that number") {
  const auto made = Estimated().of(request("r", exactly(3, "gpu")));
  CHECK(made.exact);
  CHECK(made.least[0] == 3);
  CHECK(made.asked[0] == 3);
  CHECK(made.most[0] == 3);
  CHECK(made.least_devices == 3);
}

TEST_CASE("All takes what some node has") {
  Estimated cluster;
  const auto made = cluster.of(request("r", all()));
  CHECK_FALSE(made.exact);
  CHECK(made.least[0] == 2);
  CHECK(made.asked[0] == 8);
  CHECK(made.most[0] == 8);
  auto some = all();
  some.selectors.push_back({"true"});
  CHECK(cluster.of(request("r", some)).least[0] == 1);
}

TEST_CASE("a list takes what one of its alternatives does, and asks for the first") {
  const auto made =
      Estimated().of(first_of({exactly(4, "gpu"), exactly(6, "gpu"), exactly(1, "gpu")}));
  CHECK_FALSE(made.exact);
  CHECK(made.least[0] == 1);
  CHECK(made.asked[0] == 4);
  CHECK(made.most[0] == 6);
  CHECK(made.least_devices == 1);
}

TEST_CASE("a part takes that part of the device, whichever has room for it") {
  const auto by_memory = GENERATE(false, true);
  Estimated cluster(by_memory, true);
  const auto made = cluster.of(request("r", part(20)));
  CHECK(made.exact == by_memory);
  CHECK(made.least[0] == 0.25);
  CHECK(made.asked[0] == (by_memory ? 0.25 : 0.5));
  CHECK(made.least_devices == 0);
  // The small ones have too little.
  CHECK(cluster.of(request("r", part(60))).exact);
  CHECK(cluster.of(request("r", part(60))).asked[0] == 0.75);
}

TEST_CASE("where devices count by their size, a whole one may be any of them") {
  const auto made = Estimated(true).of(request("r", exactly(2, "gpu")));
  CHECK_FALSE(made.exact);
  CHECK(made.least[0] == 1);
  CHECK(made.most[0] == 2);
}

TEST_CASE("of what nobody knows the size there is no upper bound") {
  World world;
  const auto input = world.make_input();
  const auto made =
      estimate(make_claim("c", {request("r", all())}), input.policy->counting, nullptr, {});
  CHECK(made.least[0] == 1);
  CHECK(made.asked[0] == 1);
  CHECK(made.most[0] == policy::unlimited);
}

TEST_CASE("what nothing counts takes nothing, and admin access neither") {
  Estimated cluster;
  const auto uncounted = cluster.of(request("r", exactly(2, "nic")));
  CHECK(uncounted.exact);
  CHECK(uncounted.most[0] == 0);
  auto admin = exactly(2, "gpu");
  admin.admin_access = true;
  CHECK(cluster.of(request("r", admin)).most[0] == 0);
}

}  // namespace
}  // namespace dray::planner::estimate_test
