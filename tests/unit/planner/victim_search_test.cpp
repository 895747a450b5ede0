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
  world.queue("y", 2 * nodes);
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

TEST_CASE("what was moved once stays where it is now") {
  World world;
  world.allow_all_actions();
  world.queue("x", 8);
  world.node("n0", 3);
  world.node("n1", 3);
  world.running("r0", "n0", 0, 1, "x");
  world.running("r1", "n1", 0, 1, "x");
  world.waiting("w0", 3, "x");
  world.waiting("w1", 2, "x");
  Searching c(world);
  const auto first = c.solve("w0", Action::consolidate);
  REQUIRE(first);
  CHECK(first->moved.size() == 1);
  c.search.commit(*first);
  CHECK(victims(c.solve("w1", Action::consolidate)) == "-");
}

TEST_CASE("the budget of scenarios ends it") {
  auto world = world_of(2);
  world.waiting("w", 1, "y");
  world.input.budget.scenarios = 0;
  Searching c(world);
  CHECK(c.search.exhausted());
  CHECK(victims(c.solve("w")) == "-");
}

}  // namespace
}  // namespace dray::planner::victim_search_test
