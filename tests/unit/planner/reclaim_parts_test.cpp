#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/planner/fixture.h"

// Reclaim among pods that have parts of several devices of one node: who goes has to free one of
// the devices.

namespace dray::planner::reclaim_parts_test {

using namespace worlds;
namespace {

constexpr std::int64_t whole = 80;

struct Part {
  int device;
  std::int64_t size;  ///< of `whole`
};

/// Node n0 with devices that may be shared; queue b runs p0, p1… there, in their order, on parts of
/// them; queue a has a pod that waits for a whole device. Queue b may keep `quota` of `whole`.
World shared_node(int devices, const std::vector<Part>& parts, std::int64_t quota) {
  World world;
  world.allow_all_actions();
  world.config.consolidation.enabled = false;
  world.queue("b", 0).quota["gpu"] = *Quantity::parse(fmt::format("{}m", quota * 1000 / whole));
  world.queue("a", devices);
  world.node("n0", 0);
  auto gpus = make_gpus("n0", devices);
  for (auto& gpu : gpus.devices) {
    gpu.allow_multiple_allocations = true;
    gpu.capacity["memory"] = {.value = Quantity(whole), .request_policy = {}};
  }
  world.tell(gpus);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto name = "p" + std::to_string(i);
    const auto [device, size] = parts[i];
    world.running(name, "n0", device, 1, "b");
    auto claim = make_claim("c-" + name, 1, name);
    claim.spec.requests[0].exactly->has_capacity = true;
    claim.spec.requests[0].exactly->capacity_requests["memory"] = Quantity(size);
    auto& had = claim.allocation.emplace().devices.emplace_back();
    had.request = claim.spec.requests[0].name;
    had.device = {DriverName("gpu.example.com"), PoolName("n0"),
                  DeviceName("gpu-" + std::to_string(device))};
    had.share_id = name;
    had.consumed_capacity["memory"] = Quantity(size);
    claim.reserved_for = {testing::consumer(name, Uid("uid-" + name))};
    world.tell(claim);
  }
  world.waiting("big", 1, "a");
  auto claim = make_claim("c-big", 1, "big");
  claim.spec.requests[0].exactly->has_capacity = true;
  claim.spec.requests[0].exactly->capacity_requests["memory"] = Quantity(whole);
  world.tell(claim);
  return world;
}

/// What goes before the last one does, in the order that leaves least for it: a queue gives as long
/// as it has more than its share.
std::int64_t given_before_last(const Plan& plan, const std::vector<Part>& parts) {
  std::int64_t sum = 0;
  std::int64_t largest = 0;
  for (const auto& name : evicted(plan)) {
    const auto size = parts.at(static_cast<std::size_t>(std::stoi(name.substr(1)))).size;
    sum += size;
    largest = std::max(largest, size);
  }
  return sum - largest;
}

TEST_CASE("whoever has parts of the device that can be freed goes, and nobody of another device") {
  const std::vector<Part> parts{{0, 40}, {1, 40}, {0, 40}, {1, 40}, {2, 40}, {2, 20}};
  // Only the three quarters of gpu-2 are as little as queue b owes.
  const auto plan = shared_node(3, parts, 220 - 60).plan();
  CHECK(evicted(plan) == Names{"p5", "p4"});
  CHECK(outcome(plan, "big").held.size() == 1);
  CHECK(evicted(shared_node(3, parts, 220 - 20).plan()).empty());
}

TEST_CASE("of parts on any devices, some go where one device's are no more than what is owed") {
  // All ways to put four parts on two devices, and to owe some of it.
  constexpr std::array<std::int64_t, 3> sizes{20, 40, 60};
  constexpr std::size_t ways = std::size_t{6} * 6 * 6 * 6;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<Part> parts;
    std::array<std::int64_t, 2> used{};
    auto left = way;
    for (int i = 0; i < 4; ++i, left /= 6) {
      const Part part{static_cast<int>(left % 2), sizes.at((left / 2) % 3)};
      parts.push_back(part);
      used.at(static_cast<std::size_t>(part.device)) += part.size;
    }
    const bool possible = std::ranges::all_of(used, [](auto sum) { return sum > 0 && sum <= 80; });
    if (!possible) continue;
    const auto needed = std::ranges::min(used);
    for (const auto owed : {std::int64_t{0}, needed, needed + 20}) {
      const auto plan = shared_node(2, parts, used[0] + used[1] - owed).plan();
      CAPTURE(way, owed);
      CHECK((outcome(plan, "big").held.size() == 1) == (owed > 0));
      CHECK(evicted(plan).empty() == (owed == 0));
      if (owed > 0) CHECK(given_before_last(plan, parts) < owed);
    }
  }
}

}  // namespace
}  // namespace dray::planner::reclaim_parts_test
