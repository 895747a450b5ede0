#include "planner/place/node_choice.h"

#include <catch2/catch.hpp>

#include "dray/model/pod_marks.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::node_choice_test {

using namespace worlds;
namespace {

struct Choosing {
  Parts parts;
  NodeChoice choice;

  explicit Choosing(World& world)
      : parts(world),
        choice(parts.input, parts.context.policy, parts.overlay, parts.placer.fit(),
               parts.memory.rankings()) {}

  std::optional<Choice> best(const std::string& job, const BarredNodes& barred = {},
                             Room room = Room::idle) {
    return best(job, parts.placer.fit().everywhere(), barred, room);
  }
  std::optional<Choice> best(const std::string& job, const NodeSet& among,
                             const BarredNodes& barred = {}, Room room = Room::idle) {
    return choice.best(parts.job(job), parts.task(job), choice.rankings(among), barred, room);
  }
  std::string name(const std::optional<Choice>& made) const {
    return made ? parts.name(made->node) : "-";
  }
};

/// a: 4 free of 4, b: 1 of 2, c: 3 of 8.
World three_nodes() {
  World world;
  world.node("a", 4);
  world.node("b", 2);
  world.node("c", 8);
  world.running("rb", "b", 0, 1, "a");
  world.running("rc", "c", 0, 5, "a");
  return world;
}

TEST_CASE("pack takes the fullest node with room, spread the emptiest part") {
  auto world = three_nodes();
  world.waiting("one", 1, "a");
  world.waiting("two", 2, "a");
  world.waiting("many", 5, "a");
  SECTION("pack") {
    Choosing c(world);
    CHECK(c.name(c.best("one")) == "b");
    CHECK(c.name(c.best("two")) == "c");
    CHECK(c.name(c.best("many")) == "-");
    const auto chosen = c.best("one")->chosen;
    CHECK(chosen.rule == ChosenFor::Rule::strategy);
    CHECK(chosen.strategy == policy::PlacementStrategy::pack);
    CHECK(chosen.column == c.parts.gpu());
    CHECK(chosen.free == 1);
    CHECK(chosen.capacity == 2);
    CHECK(chosen.among == 3);
    CHECK(c.best("one")->room == Room::idle);
  }
  SECTION("spread") {
    world.config.placement["gpu"] = policy::PlacementStrategy::spread;
    Choosing c(world);
    CHECK(c.name(c.best("one")) == "a");
    CHECK(c.best("one")->chosen.strategy == policy::PlacementStrategy::spread);
  }
}

TEST_CASE("a queue's own strategy goes before the policy's") {
  auto world = three_nodes();
  world.queue("a", 0);
  world.queue("wide", 0).placement["gpu"] = policy::PlacementStrategy::spread;
  world.waiting("one", 1, "a");
  world.waiting("other", 1, "wide");
  Choosing c(world);
  CHECK(c.name(c.best("one")) == "b");
  CHECK(c.name(c.best("other")) == "a");
}

TEST_CASE("equally good nodes go by name") {
  World world;
  for (const auto* name : {"c", "a", "b"}) world.node(name, 2);
  world.waiting("one", 1, "a");
  Choosing c(world);
  CHECK(c.name(c.best("one")) == "a");
}

TEST_CASE("the node that was promised before comes before all others") {
  auto world = three_nodes();
  world.waiting("nominated", 1, "a", [](Pod& pod) { pod.nominated_node = NodeName("c"); });
  world.waiting("hinted", 1, "a",
                [](Pod& pod) { pod.meta.annotations[reservation_annotation] = "a"; });
  world.waiting("gone", 1, "a",
                [](Pod& pod) { pod.meta.annotations[reservation_annotation] = "gone"; });
  Choosing c(world);
  CHECK(c.name(c.best("nominated")) == "c");
  CHECK(c.best("nominated")->chosen.rule == ChosenFor::Rule::promised);
  CHECK(c.name(c.best("hinted")) == "a");
  CHECK(c.name(c.best("gone")) == "b");
}

TEST_CASE("a wanted domain goes before the strategy, a promise before the domain") {
  auto world = three_nodes();
  world.waiting("one", 1, "a");
  world.waiting("nominated", 1, "a", [](Pod& pod) { pod.nominated_node = NodeName("c"); });
  Choosing c(world);
  auto among = c.parts.placer.fit().everywhere();
  among.bonus.assign(3, 0);
  among.bonus[c.parts.node("a").get()] = 100'000;
  CHECK(c.name(c.best("one", among)) == "a");
  CHECK(c.best("one", among)->chosen.rule == ChosenFor::Rule::domain);
  CHECK(c.name(c.best("nominated", among)) == "c");
}

TEST_CASE("nodes that are refused, barred or not among those asked are none") {
  auto world = three_nodes();
  world.waiting("one", 1, "a");
  world.input.refused = {{Uid("uid-one"), NodeName("b")}};
  Choosing c(world);
  CHECK(c.name(c.best("one")) == "c");
  const BarredNodes barred{{c.parts.node("c"), Reason::no_devices}};
  CHECK(c.name(c.best("one", barred)) == "a");
  CHECK(c.name(c.best("one", c.parts.nodes({"a"}))) == "a");
  CHECK(c.name(c.best("one", NodeSet{})) == "-");
}

TEST_CASE("idle room goes before releasing room, which counts only where it will do") {
  World world;
  world.node("a", 1);
  world.node("b", 2);
  world.running("r", "a", 0, 1, "a");
  world.waiting("one", 1, "a");
  world.waiting("two", 2, "a");
  world.running("half", "b", 0, 1, "a");
  Choosing c(world);
  c.parts.overlay.evict(c.parts.job("r"), c.parts.task("r"));
  c.parts.overlay.evict(c.parts.job("half"), c.parts.task("half"));
  CHECK(c.name(c.best("one", {}, Room::releasing)) == "b");
  CHECK(c.best("one", {}, Room::releasing)->room == Room::idle);
  CHECK(c.name(c.best("two", {}, Room::idle)) == "-");
  CHECK(c.name(c.best("two", {}, Room::releasing)) == "b");
  CHECK(c.best("two", {}, Room::releasing)->room == Room::releasing);
}

TEST_CASE("whoever is moved waits for the room that it leaves itself") {
  World world;
  world.node("a", 1);
  world.node("b", 1);
  world.running("r", "a", 0, 1, "a");
  Choosing c(world);
  auto& task = c.parts.task("r");
  c.parts.overlay.evict(c.parts.job("r"), task);
  task.shape = c.parts.memory.jobs().shape_of_victim(task);
  const auto made = c.best("r", {}, Room::releasing);
  REQUIRE(made);
  CHECK(made->room == Room::releasing);
}

TEST_CASE("a pod without devices keeps off nodes that have some") {
  World world;
  world.node("a", 4);
  world.node("z", 0);
  world.waiting("plain", 0, "a");
  Choosing c(world);
  CHECK(c.name(c.best("plain")) == "z");
}

TEST_CASE("the budget of looks ends a choice") {
  auto world = three_nodes();
  world.waiting("one", 1, "a");
  world.input.budget.nodes_tried = 0;
  Choosing c(world);
  CHECK_FALSE(c.best("one"));
  CHECK(c.parts.placer.fit().exhausted());
}

TEST_CASE("the first alternative goes before a fuller node") {
  World world;
  auto other = make_class();
  other.meta.name = "second";
  other.selectors[0].cel = R"(device.driver == "other.example.com")";
  world.tell(other);
  world.node("a", 0);
  auto slice = make_gpus("a", 1);
  slice.driver = DriverName("other.example.com");
  world.tell(slice);
  world.node("b", 4);
  world.waiting("either", 1, "a");
  auto claim = make_claim("c-either", 1, "either");
  auto first = *claim.spec.requests[0].exactly;
  first.name = "first";
  auto second = first;
  second.name = "second";
  second.device_class = ClassName("second");
  claim.spec.requests[0] = {.name = "gpu", .exactly = {}, .first_available = {first, second}};
  world.tell(claim);
  Choosing c(world);
  CHECK(c.name(c.best("either")) == "b");
}

TEST_CASE("a share joins a device that is shared already, unless shares are spread") {
  World world;
  for (const auto* name : {"a", "b"}) {
    world.node(name, 0);
    auto slice = make_gpus(name, 1);
    slice.devices[0].allow_multiple_allocations = true;
    slice.devices[0].capacity["memory"].value = Quantity(80);
    world.tell(slice);
  }
  auto held = make_claim("held", 1, "somebody");
  held.spec.requests[0].exactly->capacity_requests["memory"] = Quantity(20);
  auto& device = held.allocation.emplace().devices.emplace_back();
  device.request = "gpu";
  device.device = {DriverName("gpu.example.com"), PoolName("b"), DeviceName("gpu-0")};
  device.share_id = "share";
  device.consumed_capacity["memory"] = Quantity(20);
  world.tell(held);
  world.waiting("part", 1, "a");
  const auto asked = GENERATE(20, 61);
  auto claim = make_claim("c-part", 1, "part");
  claim.spec.requests[0].exactly->has_capacity = true;
  claim.spec.requests[0].exactly->capacity_requests["memory"] = Quantity(asked);
  world.tell(claim);
  world.options.features.consumable_capacity = true;
  const bool spread = GENERATE(false, true);
  if (spread) world.config.shares = policy::PlacementStrategy::spread;
  Choosing c(world);
  const auto made = c.best("part");
  REQUIRE(made);
  CAPTURE(asked, spread);
  if (asked == 20 && !spread) {
    CHECK(c.name(made) == "b");
    CHECK(made->chosen.rule == ChosenFor::Rule::shares);
  } else if (asked == 61) {
    CHECK(c.name(made) == "a");
  }
}

}  // namespace
}  // namespace dray::planner::node_choice_test
