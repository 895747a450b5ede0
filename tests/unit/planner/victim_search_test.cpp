#include "planner/evict/victim_search.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::victim_search_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

struct Searching {
  Parts parts;
  JobOrder order;
  VictimSearch search;
  std::vector<std::uint32_t> chunk;

  explicit Searching(World& world)
      : parts(world),
        order(parts.order()),
        search(parts.context, parts.memory.jobs(), parts.overlay, parts.placer, parts.decisions) {}
  std::optional<Solution> solve(const std::string& job, Action action = Action::reclaim) {
    chunk = parts.job(job).next_chunk();
    return search.solve(parts.job(job), chunk, action, order);
  }
};

std::string victims(const std::optional<Solution>& solution) {
  if (!solution) return "-";
  std::string names;
  for (const auto& chunk : solution->victims) {
    for (const auto* task : chunk.tasks) names += task->pod().meta.name + " ";
  }
  return names;
}

World world_of(int nodes) {
  World world;
  world.allow_all_actions();
  world.queue("x", 0);
  world.queue("y", std::int64_t{2} * nodes);
  for (int i = 0; i < nodes; ++i) {
    const auto name = "n" + std::to_string(i);
    world.node(name, 2);
    world.running("x" + std::to_string(2 * i), name, 0, 1, "x");
    world.running("x" + std::to_string(2 * i + 1), name, 1, 1, "x");
  }
  return world;
}

TEST_CASE("few victims make room: those of one node for one pod") {
  auto world = world_of(2);
  world.waiting("one", 1, "y");
  world.waiting("two", 2, "y");
  Searching c(world);
  const auto mark = c.parts.overlay.mark();
  CHECK(victims(c.solve("one")) == "x3 ");
  CHECK(c.parts.held("y") == 1);
  c.parts.overlay.undo(mark);
  CHECK(victims(c.solve("two")) == "x3 x2 ");
}

TEST_CASE("a gang takes no more than it needs") {
  auto world = world_of(3);
  auto& gang = world.gang("g", "y", 3);
  world.members(gang, 3, 1);
  Searching c(world);
  const auto made = c.solve("g");
  REQUIRE(made);
  CHECK(made->victims.size() == 3);
  CHECK(made->placed.size() == 3);
}

TEST_CASE("a victim whose room lets more important ones go on is needed") {
  World world;
  world.allow_all_actions();
  world.queue("x", 9);
  world.node("n0", 1);
  world.node("n1", 4);
  world.node("n2", 4);
  auto& mid = world.gang("mid", "x", 3);
  mid.priority = 1;
  world.member(mid, "mid0", 1, "n1", 0);
  world.member(mid, "mid1", 1, "n1", 1);
  world.member(mid, "mid2", 1, "n2", 0);
  world.running("low", "n2", 1, 1, "x");
  world.running("fixed", "n2", 2, 2, "x").preemptible = false;
  auto& top = world.gang("top", "x", 2);
  top.priority = 2;
  world.members(top, 2, 2);
  Searching c(world);
  const auto solution = c.solve("top", Action::preempt);
  REQUIRE(solution);
  CHECK(victims(solution).find("low") != std::string::npos);
  CHECK(solution->moved.size() == 2);
}

TEST_CASE("a gang that would lose one pod goes on where more of a smaller job can leave") {
  World world;
  world.allow_all_actions();
  world.queue("x", 9);
  world.node("n0", 4);
  world.node("n1", 4);
  auto& gang = world.gang("gang", "x", 2);
  world.member(gang, "gang0", 1, "n0", 0);
  world.member(gang, "gang1", 1, "n1", 0);
  auto& elastic = world.gang("elastic", "x", 1);
  elastic.created = elastic.queued = start + 1s;
  world.member(elastic, "elastic0", 2, "n0", 1);
  world.member(elastic, "elastic1", 2, "n1", 1);
  world.running("fixed0", "n0", 3, 1, "x").preemptible = false;
  world.running("fixed1", "n1", 3, 1, "x").preemptible = false;
  world.waiting("top", 3, "x").priority = 1;
  Searching c(world);
  const auto solution = c.solve("top", Action::preempt);
  REQUIRE(solution);
  CHECK(victims(solution).find("elastic0") != std::string::npos);
  CHECK(solution->moved.size() == 1);
}

TEST_CASE("of as many victims those of the lower priority go") {
  World world;
  world.allow_all_actions();
  world.queue("x", 9);
  for (const auto* name : {"n0", "n1", "n2"}) {
    world.node(name, 0);
    auto slice = make_gpus(name, name == std::string("n2") ? 3 : 2);
    for (auto& device : slice.devices) device.attributes["good"] = device.name.get() != "gpu-2";
    world.tell(slice);
  }
  world.running("fixed", "n2", 0, 1, "x").preemptible = false;
  auto& mid = world.gang("mid", "x", 1);
  mid.priority = 1;
  world.member(mid, "mid0", 2, "n0", 0);
  world.member(mid, "mid1", 2, "n1", 0);
  world.running("low", "n2", 2, 1, "x");
  auto& top = world.gang("top", "x", 2);
  top.priority = 2;
  world.members(top, 2, 2);
  for (const auto* name : {"top0", "top1"}) {
    auto picky = make_claim("c-" + std::string(name), 2, name);
    picky.spec.requests[0].exactly->selectors.push_back(
        {.cel = R"(device.attributes["gpu.example.com"].good)"});
    world.tell(picky);
  }
  Searching c(world);
  const auto solution = c.solve("top", Action::preempt);
  REQUIRE(solution);
  CHECK(victims(solution).find("low") != std::string::npos);
  CHECK(solution->moved.size() == 1);
}

TEST_CASE("those of a lower priority go instead, though the job would not fit where they are") {
  World world;
  world.allow_all_actions();
  world.queue("x", 9);
  world.node("n0", 6);
  world.node("n1", 2);
  auto& mid = world.gang("mid", "x", 2);
  mid.priority = 1;
  world.member(mid, "mid0", 1, "n0", 0);
  world.member(mid, "mid1", 1, "n0", 1);
  auto& low = world.gang("low", "x", 2);
  low.priority = GENERATE(0, 1);
  world.member(low, "low0", 1, "n1", 0);
  world.member(low, "low1", 1, "n1", 1);
  auto& top = world.gang("top", "x", 2);
  top.priority = 2;
  world.members(top, 2, 3);
  Searching c(world);
  const auto solution = c.solve("top", Action::preempt);
  REQUIRE(solution);
  CHECK(solution->moved.size() == (low.priority == 0 ? 2 : 0));
  CHECK((victims(solution).find("low0") != std::string::npos) == (low.priority == 0));
}

TEST_CASE("more of a lower priority go before fewer of a higher one") {
  World world;
  world.allow_all_actions();
  world.queue("x", 9);
  world.node("n0", 4);
  world.node("n1", 4);
  for (const std::string name : {"low", "least"}) {
    auto& gang = world.gang(name, "x", 2);
    world.member(gang, name + "0", 1, "n0", name == "low" ? 0 : 1);
    world.member(gang, name + "1", 1, "n1", name == "low" ? 0 : 1);
  }
  auto& mid = world.gang("mid", "x", 2);
  mid.priority = 1;
  world.member(mid, "mid0", 2, "n0", 2);
  world.member(mid, "mid1", 2, "n1", 2);
  world.waiting("top", 3, "x").priority = 2;
  Searching c(world);
  const auto solution = c.solve("top", Action::preempt);
  REQUIRE(solution);
  REQUIRE(solution->moved.size() == 1);
  CHECK(solution->moved.begin()->second.placement.pod.name.starts_with("mid"));
}

TEST_CASE("what cannot be done leaves the overlay and all tasks as they were") {
  auto world = world_of(2);
  world.waiting("big", 3, "y");
  auto& gang = world.gang("g", "y", 5);
  world.members(gang, 5, 1);
  Searching c(world);
  for (const auto* job : {"big", "g"}) {
    CHECK(victims(c.solve(job)) == "-");
    CHECK(c.parts.overlay.mark() == 0);
    for (const auto* running : {"x0", "x1", "x2", "x3"}) {
      CHECK(c.parts.task(running).state == policy::TaskState::placed);
    }
  }
}

TEST_CASE("a job that is protected from the search is none of its victims") {
  auto world = world_of(1);
  world.waiting("w", 1, "y").evicted_for = {{"default/x1", start + 1h}};
  world.config.queues[1].quota["gpu"] = Quantity(0);
  Searching c(world);
  CHECK(c.search.again_at() == std::nullopt);
  const auto made = victims(c.solve("w"));
  CHECK(made != "x1 ");
  CHECK(c.search.again_at() == start + 1h);
}

TEST_CASE("what is committed counts in what comes after it") {
  auto world = world_of(2);
  world.waiting("w0", 1, "y");
  world.waiting("w1", 1, "y");
  world.input.budget.evictions = 1;
  Searching c(world);
  const auto first = c.solve("w0");
  REQUIRE(first);
  c.search.commit(*first);
  c.parts.decisions.hold(c.parts.job("w0"), first->placed, c.parts.overlay.queues());
  CHECK(victims(c.solve("w1")) == "-");
  CHECK(c.search.scenarios() > 0);
}

TEST_CASE("who was moved once may move again") {
  World world;
  world.allow_all_actions();
  world.queue("x", 8);
  for (const auto* name : {"n0", "n1", "n2"}) world.node(name, 3);
  world.running("r0", "n0", 0, 1, "x");
  world.running("r1", "n1", 0, 1, "x");
  world.running("r2", "n2", 0, 1, "x").preemptible = false;
  world.waiting("w0", 3, "x");
  world.waiting("w1", 3, "x");
  Searching c(world);
  const auto first = c.solve("w0", Action::consolidate);
  REQUIRE(first);
  CHECK(first->moved.size() == 1);
  c.search.commit(*first);
  const auto second = c.solve("w1", Action::consolidate);
  REQUIRE(second);
  CHECK(second->moved.size() == 2);
}

TEST_CASE("a victim that alone would do is found behind a smaller one that would not") {
  World world;
  world.allow_all_actions();
  world.config.consolidation.enabled = false;
  world.queue("x", 2);
  world.queue("y", 2);
  world.node("free", 1);
  const bool same_node = GENERATE(true, false);
  world.node("n0", same_node ? 3 : 2);
  if (!same_node) world.node("n1", 1);
  world.running("big", "n0", 0, 2, "x").created -= 1s;
  world.running("small", same_node ? "n0" : "n1", same_node ? 2 : 0, 1, "x");
  world.waiting("w", 2, "y");
  Searching c(world);
  CHECK(victims(c.solve("w")) == "big ");
}

TEST_CASE("victims that are looked at one by one take no more together than their queue owes") {
  World world;
  world.allow_all_actions();
  world.config.consolidation.enabled = false;
  world.queue("x", 2);
  world.queue("y", 2);
  world.node("n0", 3);
  world.node("free", 1);
  world.fill("x", 3, "n0", "x");
  world.waiting("w", 2, "y");
  Searching c(world);
  CHECK(victims(c.solve("w")) == "-");
  for (const auto* running : {"x0", "x1", "x2"}) {
    CHECK(c.parts.task(running).state == policy::TaskState::placed);
  }
}

/// The queue has two GPUs above its quota. Two of its jobs are on a node that has room for one of
/// the gang though they stay; they come before the job on whose node the other one needs room.
TEST_CASE("nobody goes where there is room anyway, so that a queue owes those who have to") {
  const auto cpus = [](std::int64_t count) {
    return [=](Pod& pod) { pod.containers[0].requests["cpu"] = Quantity(count); };
  };
  const auto eight = [](Node& node) { node.allocatable["cpu"] = Quantity(8); };
  World world;
  world.allow_all_actions();
  world.queue("x", 6);
  world.queue("y", 3);
  world.node("n0", 4, eight);
  world.node("n1", 5, eight);
  world.running("first", "n0", 0, 1, "x", cpus(4)).preemptible = false;
  world.running("second", "n1", 0, 1, "x", cpus(1));
  auto& large = world.gang("large", "x", 3);
  for (int i = 0; i < 3; ++i) {
    world.member(large, "large" + std::to_string(i), 1, "n0", i + 1, cpus(1));
  }
  world.running("low", "n1", 1, 2, "x", cpus(1)).priority = -1;
  world.running("last", "n1", 3, 1, "x", cpus(2));
  auto& gang = world.gang("g", "y", 2);
  for (int i = 0; i < 2; ++i) world.member(gang, "g" + std::to_string(i), 1, {}, 0, cpus(4));
  Searching c(world);
  const auto found = c.solve("g");
  CHECK(victims(found) == "large2 large1 large0 ");
}

TEST_CASE("the budget of scenarios ends it") {
  auto world = world_of(2);
  world.waiting("w", 1, "y");
  world.input.budget.scenarios = 0;
  Searching c(world);
  CHECK(c.search.exhausted());
  CHECK(victims(c.solve("w")) == "-");
}

TEST_CASE("a victim whose devices turn out to be of no use goes on") {
  auto world = world_of(0);
  world.config.queues[1].quota["gpu"] = Quantity(2);
  world.node("a", 0);
  auto slice = make_gpus("a", 2);
  slice.devices[0].attributes["good"] = true;
  slice.devices[1].attributes["good"] = false;
  world.tell(slice);
  world.running("x0", "a", 0, 1, "x");
  world.running("x1", "a", 1, 1, "x");
  world.waiting("w", 1, "y");
  auto picky = make_claim("c-w", 1, "w");
  picky.spec.requests[0].exactly->selectors.push_back(
      {.cel = R"(device.attributes["gpu.example.com"].good)"});
  world.tell(picky);
  Searching c(world);
  CHECK(victims(c.solve("w")) == "x0 ");
}

}  // namespace
}  // namespace dray::planner::victim_search_test
