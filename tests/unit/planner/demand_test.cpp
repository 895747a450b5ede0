#include "planner/state/demand.h"

#include <array>
#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::demand_test {

using namespace worlds;
namespace {

TEST_CASE("a pod takes its requests and the devices of its claims") {
  World world;
  world.node("n0", 4);
  world.waiting("waits", 3, "a", [](Pod& pod) {
    pod.containers[0].requests["cpu"] = Quantity(2);
    pod.containers[0].requests["x.io/nic"] = Quantity(1);
  });
  Parts parts(world);
  const auto& demand = *parts.task("waits").demand;
  CHECK(demand.counts[parts.gpu()] == 3);
  CHECK(demand.devices == 4);
  CHECK(demand.milli_cpu == 2000);
  CHECK(demand.use.requested.milli_cpu == 2000);
}

TEST_CASE("a demand is added to a row as often as asked") {
  PodDemand demand;
  demand.counts = policy::Amounts(1, 2);
  demand.devices = 3;
  demand.milli_cpu = 500;
  std::array<double, 3> row{10, 10, 1000};
  add_demand(row, demand, -1);
  CHECK(row == std::array<double, 3>{8, 7, 500});
  add_demand(row, demand, 2);
  CHECK(row == std::array<double, 3>{12, 13, 1500});
}

TEST_CASE("equal demands have one address") {
  World world;
  world.node("n0", 8);
  world.running("r0", "n0", 0, 1, "a");
  world.running("r1", "n0", 1, 1, "a");
  world.running("r2", "n0", 2, 2, "a");
  Parts parts(world);
  CHECK(parts.task("r0").demand == parts.task("r1").demand);
  CHECK(parts.task("r0").demand != parts.task("r2").demand);
  CHECK(parts.task("r2").demand->counts[parts.gpu()] == 2);
}

TEST_CASE("a table keeps a demand once, and two that differ in anything apart") {
  DemandTable table;
  PodDemand demand;
  demand.counts = demand.stays = policy::Amounts(1, 2);
  demand.use.requested = {
      .milli_cpu = 1, .memory = 2, .ephemeral_storage = 3, .pods = 1, .others = {{"x.io/y", 4}}};
  const auto kept = table.intern(demand);
  CHECK(table.intern(demand) == kept);
  CHECK(table.size() == 1);
  const auto flip = GENERATE(values<Edit<PodDemand>>({
      [](PodDemand& d) { d.counts[0] = 3; },
      [](PodDemand& d) { d.stays[0] = 1; },
      [](PodDemand& d) { d.devices = 1; },
      [](PodDemand& d) { d.milli_cpu = 1; },
      [](PodDemand& d) { d.use.requested.memory = 9; },
      [](PodDemand& d) { d.use.requested.others[0].second = 5; },
      [](PodDemand& d) { d.use.ports.push_back({.protocol = "TCP", .ip = "", .port = 80}); },
  }));
  auto other = demand;
  flip(other);
  CHECK(table.intern(other) != kept);
  CHECK(*table.intern(other) == other);
  CHECK(table.size() == 2);
}

TEST_CASE("a claim that pods of a job share counts once, and for its first user") {
  World world;
  world.node("n0", 8);
  const auto shared = std::make_shared<const ResourceClaim>(make_claim("shared", 2));
  const auto p0 = std::make_shared<const Pod>(make_pod("p0", "shared"));
  const auto p1 = std::make_shared<const Pod>(make_pod("p1", "shared"));
  world.tell(*p1);
  Parts parts(world);
  DemandTable table;
  table.update(parts.input.snapshot, parts.context.policy);
  CountedClaims counted;
  CHECK(table.read(p0, {shared}, counted).devices == 2);
  CHECK(table.read(p1, {shared}, counted).devices == 0);
  auto used = *shared;
  used.reserved_for.push_back(
      {.api_group = {}, .resource = "pods", .name = "p1", .uid = Uid("uid-p1")});
  const auto by_p1 = std::make_shared<const ResourceClaim>(used);
  CountedClaims anew;
  CHECK(table.read(p0, {by_p1}, anew).devices == 0);
  CHECK(table.read(p1, {by_p1}, anew).devices == 2);
}

TEST_CASE("what a claim asked for may be other than what it has") {
  World world;
  world.node("n0", 8);
  auto& job = world.running("r0", "n0", 0, 2, "a");
  auto claim = make_claim("c-r0", 3, "r0");
  claim.allocation.emplace().devices.resize(2);
  const PodClaims claims{std::make_shared<const ResourceClaim>(claim)};
  Parts parts(world);
  DemandTable table;
  table.update(parts.input.snapshot, parts.context.policy);
  CountedClaims counted;
  CHECK(table.read(job.members[0].pod, claims, counted).devices == 2);
  CHECK(table.read_as_asked(job.members[0].pod, claims, counted).devices == 3);
  const auto kept = table.demand_of(job.members[0].pod, claims, counted);
  CHECK(kept->devices == 2);
  CHECK(table.demand_of(job.members[0].pod, claims, counted) == kept);
}

}  // namespace
}  // namespace dray::planner::demand_test
