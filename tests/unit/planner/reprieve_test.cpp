#include "planner/evict/reprieve.h"

#include <array>
#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::reprieve_test {

using namespace worlds;
namespace {

struct Sparing {
  Parts parts;
  Reprieve reprieve;
  Solution solution;
  PlanJob* beneficiary = nullptr;

  explicit Sparing(World& world)
      : parts(world), reprieve(parts.context, parts.memory.jobs(), parts.overlay, parts.placer) {}

  /// A job's tasks are evicted as one chunk.
  void evict(const std::string& job, std::vector<std::size_t> tasks = {0}) {
    auto& of = parts.job(job);
    Victims made{.job = &of,
                 .tasks = {},
                 .counts = policy::Amounts(parts.begin.queues.resources()),
                 .keeps_minimum = false};
    for (const auto at : tasks) {
      made.tasks.push_back(&of.tasks[at]);
      made.counts += of.tasks[at].demand->counts;
      parts.overlay.evict(of, of.tasks[at]);
    }
    solution.victims.push_back(std::move(made));
  }
  void place(const std::string& job) {
    const auto chunk = parts.job(job).next_chunk();
    auto placed =
        parts.placer.place(parts.job(job), chunk, parts.placer.fit().everywhere(), Room::releasing);
    REQUIRE(placed);
    solution.placed = *std::move(placed);
    beneficiary = &parts.job(job);
  }
  void spare() { reprieve.spare(*beneficiary, solution); }
  [[nodiscard]] std::string devices() const {
    std::string names;
    for (const auto& each : solution.placed) {
      for (const auto& claim : each.placement.claims) {
        for (const auto& device : claim.allocation.devices) {
          names += device.device.device.get() + " ";
        }
      }
    }
    return names;
  }
  [[nodiscard]] std::string victims() const {
    std::string names;
    for (const auto& chunk : solution.victims) {
      for (const auto* task : chunk.tasks) names += task->pod().meta.name + " ";
    }
    return names;
  }
  [[nodiscard]] std::string moved() const {
    std::string names;
    for (const auto& [task, placed] : solution.moved) {
      names += task->pod().meta.name + ">" + placed.placement.node.get() + " ";
    }
    return names;
  }
};

TEST_CASE("victims whose room was not needed stay where they were") {
  World world;
  world.queue("x", 4);
  world.node("n0", 2);
  world.running("r0", "n0", 0, 1, "x");
  world.running("r1", "n0", 1, 1, "x");
  world.waiting("w", 1, "x");
  Sparing c(world);
  c.evict("r0");
  c.evict("r1");
  c.place("w");
  c.spare();
  CHECK(c.solution.victims.size() == 1);
  CHECK(c.moved().empty());
  CHECK(c.parts.held("x") == 2);
}

TEST_CASE("the one that is served first is spared first") {
  World world;
  world.queue("x", 4);
  world.node("n0", 0, [](Node& node) { node.allocatable["cpu"] = Quantity(3); });
  for (const auto* name : {"r0", "r1"}) world.running(name, "n0", 0, 0, "x");
  world.waiting("w", 0, "x", [](Pod& pod) { pod.containers[0].requests["cpu"] = Quantity(2); });
  Sparing c(world);
  c.evict("r1");
  c.evict("r0");
  c.place("w");
  c.spare();
  // Chunks stand in the order of victims: the last one is served first.
  CHECK(c.victims() == "r1 ");
}

TEST_CASE("nobody stays whose device somebody else got, or whose node is full") {
  World world;
  world.queue("x", 4);
  world.node("n0", 1);
  world.running("r0", "n0", 0, 1, "x");
  world.waiting("w", 1, "x");
  Sparing c(world);
  c.evict("r0");
  c.place("w");
  c.spare();
  CHECK(c.victims() == "r0 ");
  CHECK(c.parts.task("r0").state == policy::TaskState::yielding);
}

TEST_CASE("so that a victim stays, the job takes other devices of the node") {
  // w gets the first free devices, which r0 has; r1's would do as well.
  World world;
  world.queue("x", 4);
  world.node("n0", 3);
  world.running("r0", "n0", 0, 1, "x");
  world.running("r1", "n0", 1, 2, "x");
  world.waiting("w", 2, "x");
  Sparing c(world);
  c.evict("r1");
  c.evict("r0");
  c.place("w");
  REQUIRE(c.devices() == "gpu-0 gpu-1 ");
  c.spare();
  CHECK(c.victims() == "r1 ");
  CHECK(c.devices() == "gpu-1 gpu-2 ");
  CHECK(c.parts.task("w").state == policy::TaskState::placed);
  CHECK(c.parts.held("x") == 3);
}

TEST_CASE("the job keeps its devices if the victim goes after all") {
  // w could take r's device instead of g0's, but then g1 finds no room.
  World world;
  world.queue("x", 8);
  world.node("n0", 2);
  world.node("n1", 1);
  auto& gang = world.gang("g", "x", 2);
  world.member(gang, "g0", 1, "n0", 0);
  world.member(gang, "g1", 1, "n1", 0);
  world.running("r", "n0", 1, 1, "x");
  world.waiting("v", 1, "x", [](Pod& pod) { pod.nominated_node = NodeName("n1"); });
  world.waiting("w", 1, "x", [](Pod& pod) { pod.nominated_node = NodeName("n0"); });
  Sparing c(world);
  c.evict("r");
  c.evict("g", {0, 1});
  c.place("v");
  c.place("w");
  REQUIRE(c.devices() == "gpu-0 ");
  c.spare();
  CHECK(c.victims() == "g0 g1 ");
  CHECK(c.devices() == "gpu-0 ");
}

TEST_CASE("nobody stays for whom its queue has no room any more") {
  World world;
  world.queue("x", 4).limit["gpu"] = Quantity(1);
  world.node("n0", 2);
  world.running("r0", "n0", 0, 1, "x");
  world.waiting("w", 1, "x");
  Sparing c(world);
  c.evict("r0");
  c.place("w");
  c.spare();
  CHECK(c.victims() == "r0 ");
  CHECK(c.moved().empty());
}

TEST_CASE("victims move where there is room, within their queue's limit") {
  World world;
  world.queue("x", 4).limit["gpu"] = GENERATE(Quantity(2), Quantity(1));
  const bool room_in_queue = world.config.queues[0].limit["gpu"] == Quantity(2);
  world.queue("y", 4);
  world.node("n0", 2);
  world.node("n1", 2);
  world.running("r0", "n0", 0, 2, "x");
  world.waiting("w", 2, "y", [](Pod& pod) { pod.nominated_node = NodeName("n0"); });
  Sparing c(world);
  c.evict("r0");
  c.place("w");
  SECTION("spared") {
    c.spare();
  }
  SECTION("moved") {
    c.reprieve.move(c.solution);
  }
  CHECK(c.moved() == (room_in_queue ? "r0>n1 " : ""));
  CHECK(c.victims() == "r0 ");
  CHECK(c.parts.held("x") == (room_in_queue ? 2 : 0));
}

TEST_CASE("nobody stays where a victim of a higher priority in the queue would have to go for it") {
  World world;
  world.queue("x", 4);
  world.queue("y", 4);
  world.node("n0", 1);
  world.node("n1", 1);
  const auto priority = GENERATE(0, 10);
  const std::string queue = GENERATE("x", "y");
  world.running("low", "n1", 0, 1, "x");
  world.running("high", "n0", 0, 1, queue).priority = priority;
  world.waiting("w", 1, "x", [](Pod& pod) { pod.nominated_node = NodeName("n0"); });
  Sparing c(world);
  c.evict("low");
  c.evict("high");
  c.place("w");
  c.spare();
  const bool moves = priority > 0 && queue == "x";
  CHECK(c.victims() == (moves ? "low high " : "high "));
  CHECK(c.moved() == (moves ? "high>n1 " : ""));
}

TEST_CASE("move alone puts nobody back where it was") {
  World world;
  world.queue("x", 4);
  world.node("n0", 2);
  world.running("r0", "n0", 0, 1, "x");
  Sparing c(world);
  c.evict("r0");
  c.reprieve.move(c.solution);
  CHECK(c.victims() == "r0 ");
  CHECK(c.moved() == "r0>n0 ");
}

TEST_CASE("a gang stays whole, moves whole, or goes whole") {
  World world;
  world.queue("x", 8);
  world.node("n0", 2);
  world.node("n1", 2);
  auto& gang = world.gang("g", "x", 2);
  world.member(gang, "g0", 2, "n0", 0);
  world.member(gang, "g1", 2, "n1", 0);
  const bool third = GENERATE(false, true);
  if (third) world.node("n2", 2);
  world.waiting("w", 2, "x", [](Pod& pod) { pod.nominated_node = NodeName("n0"); });
  Sparing c(world);
  c.evict("g", {0, 1});
  c.place("w");
  c.spare();
  if (third) {
    // g1 stays, g0 goes on on the third node.
    CHECK(c.victims() == "g0 ");
    CHECK(c.moved() == "g0>n2 ");
  } else {
    CHECK(c.victims() == "g0 g1 ");
    CHECK(c.moved().empty());
    CHECK(c.parts.held("x") == 2);
  }
}

TEST_CASE("of one job nothing is spared on top of a chunk that goes") {
  World world;
  world.queue("x", 8);
  world.node("n0", 1);
  world.node("n1", 1);
  auto& gang = world.gang("g", "x", 1);
  world.member(gang, "g0", 1, "n0", 0);
  world.member(gang, "g1", 1, "n1", 0);
  world.waiting("w", 1, "x", [](Pod& pod) { pod.nominated_node = NodeName("n0"); });
  Sparing c(world);
  c.evict("g", {1});
  c.evict("g", {0});
  c.place("w");
  c.spare();
  // The minimum is not spared where it was; it moves to where the other one had been.
  CHECK(c.moved() == "g0>n1 ");
  CHECK(c.victims() == "g1 g0 ");
}

TEST_CASE("a victim that moved with another chunk of its job is not spared once more") {
  World world;
  world.queue("x", 8);
  world.node("n0", 2);
  world.node("n1", 1);
  world.node("n2", 3);
  auto& gang = world.gang("g", "x", 1);
  world.member(gang, "g0", 1, "n1", 0);
  world.member(gang, "g1", 1, "n0", 0);
  world.member(gang, "g2", 1, "n0", 1);
  auto& sets = gang.gang.pod_sets;
  sets.push_back(sets.front());
  sets[1].name = "other";
  sets[1].tasks.assign({sets[0].tasks[2]});
  sets[0].tasks.resize(2);
  world.waiting("w", 2, "x", [](Pod& pod) { pod.nominated_node = NodeName("n0"); });
  Sparing c(world);
  c.evict("g", {1});
  c.evict("g", {0, 2});
  c.place("w");
  c.spare();
  // g2 is needed for the minimum, and g1 goes after it.
  CHECK(c.victims() == "g1 g2 ");
  CHECK(c.moved() == "g1>n2 g2>n2 ");
  CHECK(c.parts.held("x") == 5);
}

TEST_CASE("a victim stays only if nobody got the counters that its device draws on") {
  // A whole card, and its half, draw on one counter; the half runs, and the card is wanted.
  World world;
  world.queue("x", 4);
  world.node("n0", 0);
  auto slice = make_gpus("n0", 2);
  slice.devices[0].name = DeviceName("card");
  slice.devices[1].name = DeviceName("gpu-1");
  const std::array<std::int64_t, 2> takes{2, 1};
  for (std::size_t i = 0; i < 2; ++i) {
    auto& consumption = slice.devices[i].consumes_counters.emplace_back();
    consumption.counter_set = "card";
    consumption.counters["parts"] = Quantity(takes[i]);
    slice.devices[i].attributes["size"] = takes[i];
  }
  ResourceSlice counters = slice;
  counters.meta.name = "n0-counters";
  counters.meta.uid = Uid("n0-counters");
  counters.devices.clear();
  auto& set = counters.shared_counters.emplace_back();
  set.name = "card";
  set.counters["parts"] = Quantity(2);
  slice.pool_slice_count = counters.pool_slice_count = 2;
  world.tell(slice);
  world.tell(counters);
  world.running("half", "n0", 1, 1, "x");
  world.waiting("card", 1, "x");
  auto claim = make_claim("c-card", 1, "card");
  claim.spec.requests[0].exactly->selectors.push_back(
      {.cel = R"(device.attributes["gpu.example.com"].size == 2)"});
  world.tell(claim);
  const bool wanted = GENERATE(true, false);
  Sparing c(world);
  c.evict("half");
  if (wanted) c.place("card");
  c.spare();
  CHECK(c.victims() == (wanted ? "half " : ""));
}

}  // namespace
}  // namespace dray::planner::reprieve_test
