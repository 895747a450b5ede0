#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

// Limits, quotas and reclaim are judged by the devices that placements really take: of `All`, of
// prioritized lists, and of parts of devices.

namespace dray::planner::limits_on_real_devices_test {

using namespace worlds;
namespace {

using testing::exactly;
using testing::request;

/// The waiting pod's claim asks for this instead.
void ask(World& world, const std::string& pod, DeviceRequest asked) {
  auto claim = make_claim("c-" + pod, 1, pod);
  claim.spec.requests = {std::move(asked)};
  world.tell(claim);
}

DeviceRequest all_devices() {
  auto spec = exactly(0, "gpu");
  spec.allocation_mode = "All";
  return request("gpu", spec);
}

/// The first of these counts that there are devices for; a negative one has none, ever.
DeviceRequest first_of(const std::vector<std::int64_t>& counts) {
  DeviceRequest made;
  made.name = "gpu";
  for (const auto count : counts) {
    auto& spec = made.first_available.emplace_back(exactly(std::abs(count), "gpu"));
    spec.name = "n" + std::to_string(made.first_available.size());
    if (count < 0) spec.selectors.push_back({"false"});
  }
  return made;
}

policy::QueueConfig& limited(World& world, const std::string& name, std::int64_t limit) {
  auto& queue = world.queue(name, 0);
  queue.limit["gpu"] = Quantity(limit);
  return queue;
}

std::size_t devices_of(const Plan& plan, const std::string& job) {
  std::size_t count = 0;
  const auto& made = outcome(plan, job);
  for (const auto* list : {&made.placements, &made.held}) {
    for (const auto& placement : *list) {
      for (const auto& claim : placement.claims) count += claim.allocation.devices.size();
    }
  }
  return count;
}

TEST_CASE("All that takes more than the limit waits for the limit") {
  World world;
  limited(world, "a", 2);
  world.node("n0", 8);
  world.waiting("w", 1, "a");
  ask(world, "w", all_devices());
  const auto plan = world.plan();
  CHECK(placed(plan).at("w") == "-");
  CHECK(outcome(plan, "w").reason == Reason::queue_limit);
  CHECK(outcome(plan, "w").detail.find("requested 8") != std::string::npos);
}

TEST_CASE("of nodes that differ, All finds the one that is within the limit") {
  World world;
  limited(world, "a", 2);
  world.node("n0", 8);
  world.node("n1", 2);
  world.node("n2", 4);
  world.waiting("w", 1, "a");
  ask(world, "w", all_devices());
  CHECK(placed(world.plan()).at("w") == "n1");
}

TEST_CASE("a list goes on to the next alternative that its queue may have") {
  World world;
  limited(world, "a", 4);
  world.node("n0", 8);
  world.waiting("w", 1, "a");
  struct Row {
    std::vector<std::int64_t> counts;
    std::size_t got;
  };
  const auto row = GENERATE(values<Row>({
      {{8, 4}, 4},
      {{8, 6, 2}, 2},
      {{-1, 8}, 0},
      {{-1, 8, 3}, 3},
      {{2, 8}, 2},
  }));
  ask(world, "w", first_of(row.counts));
  const auto plan = world.plan();
  CHECK(devices_of(plan, "w") == row.got);
  if (row.got == 0) CHECK(outcome(plan, "w").reason == Reason::queue_limit);
}

TEST_CASE("of nodes that differ, a list gets the best alternative that its queue may have") {
  World world;
  limited(world, "a", 2);
  // Each node has all of the first alternative; of the others one node has what is wanted more.
  world.node("n0", 8);
  world.node("n1", 8);
  auto slice = make_gpus("n1", 8);
  for (auto& device : slice.devices) device.attributes["kind"] = std::string("good");
  world.tell(slice);
  world.waiting("w", 1, "a");
  auto list = first_of({8, 2, 1});
  list.first_available[1].selectors.push_back({"has(device.attributes[\"gpu.example.com\"].kind)"});
  ask(world, "w", list);
  const auto plan = world.plan();
  CHECK(placed(plan).at("w") == "n1");
  CHECK(devices_of(plan, "w") == 2);
}

TEST_CASE("several lists of one claim are within the limit together") {
  World world;
  limited(world, "a", 5);
  world.node("n0", 16);
  world.waiting("w", 1, "a");
  auto claim = make_claim("c-w", 1, "w");
  auto one = first_of({8, 4, 1});
  auto two = first_of({4, 1});
  one.name = "one";
  two.name = "two";
  claim.spec.requests = {one, two};
  world.tell(claim);
  CHECK(devices_of(world.plan(), "w") == 5);
}

TEST_CASE("members of a gang are within the limit together") {
  World world;
  limited(world, "a", 8);
  world.node("n0", 8);
  world.node("n1", 8);
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 2, 1);
  ask(world, "g0", first_of({8, 4}));
  ask(world, "g1", first_of({8, 4}));
  CHECK(devices_of(world.plan(), "g") == 8);
  world.config.queues[0].limit["gpu"] = Quantity(7);
  const auto plan = world.plan();
  CHECK(devices_of(plan, "g") == 0);
  CHECK(outcome(plan, "g").reason == Reason::queue_limit);
}

TEST_CASE("what one member takes does not keep others of its gang from their alternatives") {
  World world;
  limited(world, "a", 10);
  world.node("n0", 16);
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 2, 1);
  // Eight for the first one would leave the other with too little.
  ask(world, "g0", first_of({8, 6, 2}));
  ask(world, "g1", first_of({-1, 8}));
  CHECK(devices_of(world.plan(), "g") == 10);
}

TEST_CASE("jobs of one plan share what is left of the limit by what they really take") {
  World world;
  limited(world, "a", 9);
  for (const auto* node : {"n0", "n1", "n2"}) world.node(node, 8);
  for (const auto* pod : {"w0", "w1", "w2"}) {
    world.waiting(pod, 1, "a");
    ask(world, pod, first_of({-2, 4, 1}));
  }
  const auto plan = world.plan();
  CHECK(devices_of(plan, "w0") == 4);
  CHECK(devices_of(plan, "w1") == 4);
  CHECK(devices_of(plan, "w2") == 1);
}

TEST_CASE("what is not preemptible is within its quota by what it really takes") {
  World world;
  world.queue("a", 4);
  world.node("n0", 8);
  auto& job = world.waiting("w", 1, "a");
  job.preemptible = false;
  ask(world, "w", first_of({-1, 8}));
  const auto plan = world.plan();
  CHECK(placed(plan).at("w") == "-");
  CHECK(outcome(plan, "w").reason == Reason::queue_quota);
  ask(world, "w", first_of({-1, 8, 4}));
  CHECK(devices_of(world.plan(), "w") == 4);
}

TEST_CASE("a later alternative may take back what is owed, and no more") {
  auto world = two_queues(4, 0);
  world.node("n0", 4);
  world.running("old", "n0", 0, 4, "y");
  world.waiting("w", 1, "x");
  struct Row {
    std::vector<std::int64_t> counts;
    std::size_t got;
  };
  const auto row = GENERATE(values<Row>({{{8, 4}, 4}, {{8, 2}, 2}, {{8}, 0}}));
  ask(world, "w", first_of(row.counts));
  const auto plan = world.plan();
  CHECK(devices_of(plan, "w") == row.got);
  CHECK(evicted(plan) == (row.got == 0 ? Names() : Names{"old"}));
}

TEST_CASE("reclaim goes on to the alternative that the queue's share allows") {
  auto world = two_queues(2, 6);
  world.node("n0", 8);
  world.running("old0", "n0", 0, 4, "y");
  world.running("old1", "n0", 4, 4, "y");
  world.waiting("w", 1, "x");
  // Six would leave the other queue below its quota.
  ask(world, "w", first_of({6, 2}));
  const auto plan = world.plan();
  CHECK(devices_of(plan, "w") == 2);
}

TEST_CASE("All takes nothing back that its queue is not owed") {
  auto world = two_queues(2, 6);
  world.node("n0", 8);
  world.running("old", "n0", 0, 8, "y");
  world.waiting("w", 1, "x");
  ask(world, "w", all_devices());
  const auto plan = world.plan();
  CHECK(placed(plan).at("w") == "-");
  CHECK(plan.evictions.empty());
}

TEST_CASE("parts of a device count as the part that they ask for, whatever the rule") {
  World world;
  limited(world, "a", 1);
  auto gpus = make_gpus("n0", 4);
  for (auto& gpu : gpus.devices) {
    gpu.allow_multiple_allocations = true;
    gpu.capacity["memory"] = {.value = Quantity(80), .request_policy = {}};
  }
  world.node("n0", 0);
  world.tell(gpus);
  for (int i = 0; i < 4; ++i) {
    const auto pod = "w" + std::to_string(i);
    world.waiting(pod, 1, "a");
    auto half = exactly(1, "gpu");
    half.has_capacity = true;
    half.capacity_requests["memory"] = Quantity(30);
    ask(world, pod, request("gpu", half));
  }
  const auto plan = world.plan();
  // 30 of 80 count as 0.375.
  CHECK(placed(plan) ==
        std::map<std::string, std::string>{{"w0", "n0"}, {"w1", "n0"}, {"w2", "-"}, {"w3", "-"}});
  CHECK(outcome(plan, "w2").reason == Reason::queue_limit);
}

TEST_CASE("of devices that count by their size, one that its queue may have is chosen") {
  World world;
  world.config.resources[0].rules[0].capacity = "memory";
  world.config.resources[0].rules[0].per = Quantity(80);
  limited(world, "a", 1);
  auto gpus = make_gpus("n0", 3);
  for (std::size_t i = 0; i < 3; ++i) {
    gpus.devices[i].capacity["memory"].value = Quantity(i < 2 ? 160 : 40);
  }
  world.node("n0", 0);
  world.tell(gpus);
  world.waiting("w", 1, "a");
  const auto plan = world.plan();
  REQUIRE(devices_of(plan, "w") == 1);
  CHECK(outcome(plan, "w").placements[0].claims[0].allocation.devices[0].device.device.get() ==
        "gpu-2");
}

TEST_CASE("a gang in one domain is judged by the least that its members take") {
  World world;
  world.topologies["t"] = {"zone"};
  world.node("n0", 8, [](Node& node) { node.meta.labels["zone"] = "z"; });
  auto& gang = world.gang("g", "a", 2);
  gang.gang.topology = {.topology = "t", .required = "zone", .preferred = {}};
  world.members(gang, 2, 1);
  ask(world, "g0", first_of({-8, 4}));
  ask(world, "g1", first_of({-8, 4}));
  CHECK(devices_of(world.plan(), "g") == 8);
}

TEST_CASE("devices that a class stands behind count under the resource's name as well") {
  World world;
  limited(world, "a", 2);
  auto gpu = make_class();
  gpu.extended_resource_name = "x.io/gpu";
  world.tell(gpu);
  world.node("n0", 8);
  for (const auto* pod : {"w0", "w1"}) {
    world.waiting(pod, 0, "a",
                  [](Pod& made) { made.containers[0].requests["x.io/gpu"] = Quantity(2); });
  }
  const auto plan = world.plan();
  CHECK(placed(plan).at("w0") == "n0");
  CHECK(placed(plan).at("w1") == "-");
  CHECK(outcome(plan, "w1").reason == Reason::queue_limit);
}

TEST_CASE("a plan leaves what waiting jobs ask for as it was") {
  World world;
  limited(world, "a", 8);
  world.node("n0", 8);
  world.waiting("w", 1, "a");
  ask(world, "w", first_of({-8, 4}));
  Planner planner(world.options);
  const auto one = planner.plan(world.make_input());
  const auto two = planner.plan(world.make_input());
  CHECK(one.jobs == two.jobs);
  CHECK(one.queues == two.queues);
}

}  // namespace
}  // namespace dray::planner::limits_on_real_devices_test
