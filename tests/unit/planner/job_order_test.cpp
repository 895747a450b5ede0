#include "planner/state/job_order.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::job_order_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

std::vector<std::string> all(JobOrder order) {
  std::vector<std::string> names;
  while (const auto* job = order.next()) {
    names.push_back(job->job->uid.get().substr(4));
    order.settle(false);
  }
  return names;
}

TEST_CASE("jobs of one queue: what was lifted, priority, minimum, age, uid") {
  struct Row {
    std::string name;
    Edit<Job> first, second;  ///< of b, which would come last by its uid, and of a
  };
  const auto row = GENERATE(values<Row>({
      {"lifted before all", [](Job& j) { j.promised = true; }, [](Job& j) { j.priority = 9; }},
      {"priority before age", [](Job& j) { j.priority = 2; },
       [](Job& j) { j.created -= 1h, j.priority = 1; }},
      {"waiting adds priority", [](Job& j) { j.queued -= 2h; }, [](Job& j) { j.priority = 1; }},
      {"the older one", [](Job& j) { j.created -= 1s; }, [](Job&) {}},
  }));
  DYNAMIC_SECTION(row.name) {
    World world;
    world.config.aging = 1h;
    auto& b = world.waiting("b", 1, "a");
    auto& a = world.waiting("a", 1, "a");
    row.first(b);
    row.second(a);
    Parts parts(world);
    CHECK(all(parts.order({&parts.job("a"), &parts.job("b")})) ==
          std::vector<std::string>{"b", "a"});
  }
  SECTION("by uid at last") {
    World world;
    world.waiting("b", 1, "a");
    world.waiting("a", 1, "a");
    Parts parts(world);
    CHECK(all(parts.order({&parts.job("b"), &parts.job("a")})) ==
          std::vector<std::string>{"a", "b"});
  }
}

TEST_CASE("a gang below its minimum comes before one that has it, whatever their age") {
  World world;
  world.node("n0", 8);
  auto& has = world.gang("has", "a", 1);
  has.created -= 1h;
  world.member(has, "h0", 1, "n0");
  world.member(has, "h1", 1);
  auto& lacks = world.gang("lacks", "a", 1);
  world.member(lacks, "l0", 1);
  Parts parts(world);
  CHECK(all(parts.order({&parts.job("has"), &parts.job("lacks")})) ==
        std::vector<std::string>{"lacks", "has"});
}

TEST_CASE("queues take turns by what they hold of their shares") {
  World world;
  world.node("n0", 8);
  world.queue("x", 4);
  world.queue("y", 4);
  world.running("r0", "n0", 0, 2, "x");
  for (const auto* name : {"x0", "x1"}) world.waiting(name, 1, "x");
  for (const auto* name : {"y0", "y1"}) world.waiting(name, 1, "y");
  Parts parts(world);
  auto order =
      parts.order({&parts.job("x0"), &parts.job("x1"), &parts.job("y0"), &parts.job("y1")});
  CHECK(order.next() == &parts.job("y0"));
  // Once y has got more, it is x's turn.
  parts.overlay.queues().add_allocated(parts.queue("y"),
                                       policy::Amounts(parts.begin.queues.resources(), 3), true);
  order.settle(false);
  CHECK(order.next() == &parts.job("x0"));
  order.settle(false);
  CHECK(order.next() == &parts.job("x1"));
  // What the queues hold changes outside of the order's own turns.
  parts.overlay.queues().remove_allocated(parts.queue("y"),
                                          policy::Amounts(parts.begin.queues.resources(), 3), true);
  order.reorder();
  CHECK(order.next() == &parts.job("y1"));
  order.settle(false);
  CHECK(order.next() == &parts.job("x1"));
  order.settle(false);
  CHECK(order.next() == nullptr);
}

TEST_CASE("over all queues the older one's jobs come first, whatever the names") {
  World world;
  world.queue("x", 0);
  world.queue("y", 0);
  world.waiting("x0", 1, "x");
  world.waiting("y0", 1, "y");
  world.waiting("y1", 1, "y").priority = 1;
  Parts parts(world);
  const auto among = [&](const char* older, const char* newer) {
    parts.overlay.queues()[parts.queue(older)].created = start - 1h;
    parts.overlay.queues()[parts.queue(newer)].created = start;
    std::vector<PlanJob*> jobs{&parts.job("x0"), &parts.job("y0"), &parts.job("y1")};
    const auto order = parts.order();
    std::ranges::sort(jobs,
                      [&](const auto* a, const auto* b) { return order.before_by_queue(*a, *b); });
    std::vector<std::string> names;
    for (const auto* job : jobs) names.push_back(job->job->uid.get().substr(4));
    return names;
  };
  CHECK(among("x", "y") == Names{"x0", "y1", "y0"});
  CHECK(among("y", "x") == Names{"y1", "y0", "x0"});
}

TEST_CASE("a job with another chunk takes its new place") {
  World world;
  world.node("n0", 8);
  auto& gang = world.gang("g", "a", 1);
  gang.created -= 1h;
  world.members(gang, 2, 1);
  world.waiting("w", 1, "a");
  Parts parts(world);
  auto& g = parts.job("g");
  auto order = parts.order({&g, &parts.job("w")});
  CHECK(order.next() == &g);
  g.set_state(g.tasks[0], policy::TaskState::placed);
  order.settle(true);
  CHECK(order.next() == &parts.job("w"));
  order.settle(false);
  CHECK(order.next() == &g);
}

TEST_CASE("jobs are sorted backwards for victims") {
  World world;
  world.node("n0", 8);
  world.running("low", "n0", 0, 1, "a").priority = 1;
  world.running("high", "n0", 1, 1, "a").priority = 9;
  world.running("old", "n0", 2, 1, "a").priority = 1;
  Parts parts(world);
  parts.job("old");
  auto order = parts.order();
  std::vector<PlanJob*> jobs{&parts.job("high"), &parts.job("low"), &parts.job("old")};
  order.sort_backwards(jobs);
  CHECK(jobs == std::vector<PlanJob*>{&parts.job("old"), &parts.job("low"), &parts.job("high")});
  CHECK(order.before(parts.job("high"), parts.job("low")));
  CHECK_FALSE(order.before(parts.job("low"), parts.job("high")));
}

TEST_CASE("queues take turns with their siblings, level by level") {
  World world;
  world.node("n0", 8);
  for (const auto* name : {"d", "e"}) world.queue(name, 4);
  world.queue("x", 2, "d");
  world.queue("y", 2, "d");
  world.queue("z", 4, "e");
  world.running("r0", "n0", 0, 1, "x");
  world.waiting("x0", 1, "x");
  world.waiting("y0", 1, "y");
  for (const auto* name : {"z0", "z1"}) world.waiting(name, 1, "z");
  Parts parts(world);
  auto order =
      parts.order({&parts.job("x0"), &parts.job("y0"), &parts.job("z0"), &parts.job("z1")});
  CHECK(order.next() == &parts.job("z0"));
  parts.overlay.queues().add_allocated(parts.queue("z"),
                                       policy::Amounts(parts.begin.queues.resources(), 3), true);
  order.settle(false);
  const auto rest = all(std::move(order));
  CHECK(rest == std::vector<std::string>{"y0", "x0", "z1"});
}

}  // namespace
}  // namespace dray::planner::job_order_test
