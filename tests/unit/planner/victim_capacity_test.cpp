#include "planner/evict/victim_capacity.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::victim_capacity_test {

using namespace worlds;
namespace {

/// GPUs of a plugin: devices that the numbers know all of.
World plugin_world() {
  World world;
  world.config.resources[0].rules[0].device_class = ClassName();
  world.config.resources[0].rules[0].node_resource = "nvidia.com/gpu";
  return world;
}
void plugin_node(World& world, const std::string& name, std::int64_t gpus,
                 const Edit<Node>& edit = {}) {
  world.node(name, 0, [&](Node& node) {
    node.allocatable["nvidia.com/gpu"] = Quantity(gpus);
    if (edit) edit(node);
  });
}
Edit<Pod> asks(std::int64_t gpus) {
  return [=](Pod& pod) { pod.containers[0].requests["nvidia.com/gpu"] = Quantity(gpus); };
}

struct Bound {
  Parts parts;
  std::vector<std::uint32_t> chunk;
  Attempt attempt;
  VictimCapacity capacity;

  Bound(World& world, const std::string& job)
      : parts(world),
        chunk(parts.job(job).next_chunk()),
        attempt{.job = parts.job(job),
                .chunk = chunk,
                .counts = policy::Amounts(parts.begin.queues.resources()),
                .action = Action::reclaim,
                .protected_beneficiaries = {}},
        capacity(parts.context, parts.overlay, parts.placer.fit(), attempt) {}
  void free(const std::string& job, std::size_t place) {
    auto& of = parts.job(job);
    Victims victims{.job = &of, .tasks = {}, .counts = {}, .keeps_minimum = false};
    for (auto& task : of.tasks) victims.tasks.push_back(&task);
    capacity.free(victims, place);
  }
  [[nodiscard]] std::size_t of(const std::string& node) const {
    return capacity.of(parts.node(node));
  }
};

TEST_CASE("the bound counts what is free, then what victims free, up to the members") {
  auto world = plugin_world();
  plugin_node(world, "a", 4);
  plugin_node(world, "b", 4);
  world.running("ra", "a", 0, 0, "a", asks(4));
  world.running("rb", "b", 0, 0, "a", asks(3));
  auto& gang = world.gang("g", "a", 3);
  for (const auto* name : {"g0", "g1", "g2"}) world.member(gang, name, 0, {}, 0, asks(1));
  Bound c(world, "g");
  CHECK(c.of("a") == 0);
  CHECK(c.of("b") == 1);
  CHECK(c.capacity.total() == 1);
  CHECK_FALSE(c.capacity.enough());
  CHECK(c.capacity.elsewhere() == 1);
  c.free("ra", 0);
  CHECK(c.of("a") == 3);
  CHECK(c.capacity.total() == 4);
  CHECK(c.capacity.enough());
  CHECK(c.capacity.chunks_on(c.parts.node("a")) == Scenario{0});
  CHECK(c.capacity.elsewhere() == 1);
  c.free("rb", 1);
  CHECK(c.of("b") == 3);
  CHECK(c.capacity.elsewhere() == 0);
}

TEST_CASE("CPU bounds as well") {
  auto world = plugin_world();
  plugin_node(world, "a", 4);
  world.running("r", "a", 0, 0, "a",
                [](Pod& pod) { pod.containers[0].requests["cpu"] = Quantity(60); });
  world.waiting("w", 0, "a", [](Pod& pod) { pod.containers[0].requests["cpu"] = Quantity(10); });
  Bound c(world, "w");
  CHECK(c.of("a") == 0);
  c.free("r", 0);
  CHECK(c.of("a") == 1);
}

TEST_CASE("a device that is given up makes room for as many parts as it has, however they count") {
  const bool by_memory = GENERATE(true, false);
  World world;
  auto& rule = world.config.resources[0].rules[0];
  if (by_memory) {
    rule.capacity = "memory";
    rule.per = Quantity(4);
  }
  world.node("a", 0);
  auto gpus = make_gpus("a", 1);
  gpus.devices[0].allow_multiple_allocations = true;
  gpus.devices[0].capacity["memory"] = {.value = Quantity(4), .request_policy = {}};
  world.tell(gpus);
  world.running("r", "a", 0, 1, "a");
  auto& gang = world.gang("g", "a", 2);
  for (const std::string name : {"g0", "g1"}) {
    world.member(gang, name, 1);
    auto part = make_claim("c-" + name, 1, name);
    part.spec.requests[0].exactly->capacity_requests["memory"] = Quantity(2);
    world.tell(part);
  }
  Bound c(world, "g");
  CHECK(c.of("a") == 0);
  c.free("r", 0);
  CHECK(c.of("a") == 2);
}

TEST_CASE("of two capacities one does not bound what a part takes of the other") {
  World world;
  world.node("a", 0);
  auto gpus = make_gpus("a", 1);
  gpus.devices[0].allow_multiple_allocations = true;
  gpus.devices[0].capacity["memory"] = {.value = Quantity(10), .request_policy = {}};
  gpus.devices[0].capacity["cores"] = {.value = Quantity(10), .request_policy = {}};
  world.tell(gpus);
  const auto part = [&](const std::string& pod, std::int64_t memory, std::int64_t cores) {
    auto claim = make_claim("c-" + pod, 1, pod);
    auto& asked = claim.spec.requests[0].exactly->capacity_requests;
    asked["memory"] = Quantity(memory);
    asked["cores"] = Quantity(cores);
    return claim;
  };
  world.running("r", "a", 0, 1, "a");
  auto held = part("r", 9, 1);
  auto& allocation = held.allocation.emplace();
  allocation.devices = {testing::allocated(testing::device_id("a", "gpu-0"))};
  allocation.devices[0].share_id = "00000000-0000-4000-8000-000000000001";
  allocation.devices[0].consumed_capacity = held.spec.requests[0].exactly->capacity_requests;
  world.tell(held);
  world.waiting("w", 1, "a");
  world.tell(part("w", 1, 8));
  Bound c(world, "w");
  CHECK(c.of("a") == 1);
}

TEST_CASE("a later alternative bounds as little as it takes") {
  World world;
  world.node("a", 4);
  world.waiting("w", 1, "a");
  auto claim = make_claim("c-w", 1, "w");
  auto& request = claim.spec.requests[0];
  request.exactly.reset();
  request.first_available = {testing::exactly(8, "gpu"), testing::exactly(4, "gpu")};
  request.first_available[0].name = "many";
  request.first_available[1].name = "few";
  world.tell(claim);
  Bound c(world, "w");
  CHECK(c.of("a") == 1);
}

TEST_CASE("a node that no eviction opens has no room") {
  auto world = plugin_world();
  plugin_node(world, "tainted", 4, [](Node& node) {
    node.taints.push_back({.key = "k", .value = {}, .effect = "NoSchedule"});
  });
  plugin_node(world, "refused", 4);
  plugin_node(world, "cordoned", 4, [](Node& node) { node.unschedulable = true; });
  world.running("r", "tainted", 0, 0, "a", asks(4));
  world.waiting("w", 0, "a", asks(1));
  world.input.refused = {{Uid("uid-w"), NodeName("refused")}};
  Bound c(world, "w");
  c.free("r", 0);
  CHECK(c.of("tainted") == 0);
  CHECK(c.of("refused") == 0);
  CHECK(c.of("cordoned") == 0);
  CHECK(c.capacity.total() == 0);
}

TEST_CASE("givers are nodes with victims and room, those with the least free first") {
  auto world = plugin_world();
  plugin_node(world, "a", 8);
  plugin_node(world, "b", 4);
  plugin_node(world, "c", 4);
  world.running("ra", "a", 0, 0, "a", asks(8));
  world.running("rb", "b", 0, 0, "a", asks(4));
  world.running("rc", "c", 0, 0, "a", asks(4));
  world.running("small", "b", 0, 0, "a");
  world.waiting("w", 0, "a", asks(2));
  Bound c(world, "w");
  c.free("ra", 0);
  c.free("rc", 1);
  c.free("rb", 2);
  c.free("small", 3);
  const auto givers = c.capacity.givers();
  REQUIRE(givers.size() == 3);
  CHECK(givers[0].node == c.parts.node("c"));
  CHECK(givers[1].node == c.parts.node("b"));
  CHECK(givers[1].chunks == Scenario{2, 3});
  CHECK(givers[2].node == c.parts.node("a"));
  CHECK(givers[2].room == 1);
}

TEST_CASE("the member that needs least is the bound of a mixed chunk") {
  auto world = plugin_world();
  plugin_node(world, "a", 4);
  auto& gang = world.gang("g", "a", 2);
  world.member(gang, "g0", 0, {}, 0, asks(4));
  world.member(gang, "g1", 0, {}, 0, asks(2));
  Bound c(world, "g");
  CHECK(c.of("a") == 2);
}

}  // namespace
}  // namespace dray::planner::victim_capacity_test
