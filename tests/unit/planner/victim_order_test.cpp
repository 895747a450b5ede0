#include "planner/evict/victim_order.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::victim_order_test {

using namespace worlds;
namespace {

struct Walk {
  Parts parts;
  JobOrder jobs;
  VictimOrder::Candidates candidates;

  Walk(World& world, const std::vector<std::string>& running)
      : parts(world), jobs(parts.order()), candidates(parts.begin.queues.queues().size()) {
    for (const auto& name : running) {
      auto& job = parts.job(name);
      candidates[job.queue->get()].push_back(&job);
    }
    for (auto& each : candidates) jobs.sort_backwards(each);
  }
  VictimOrder order(std::vector<char> open = {}, const std::set<std::string>& keep = {}) {
    if (open.empty()) open.assign(candidates.size(), 1);
    const auto keeps = [keep](const Task& task) { return keep.contains(task.pod().meta.name); };
    return {parts.overlay.queues(), parts.context.total, jobs, candidates, std::move(open), keeps};
  }
};

std::string name(const std::optional<VictimOrder::Chunk>& chunk) {
  if (!chunk) return "-";
  std::string names;
  for (const auto* task : chunk->tasks) names += task->pod().meta.name + " ";
  return names;
}

TEST_CASE("who would be served last goes first, queue by queue") {
  World world;
  world.node("n0", 8);
  world.queue("x", 1);
  world.queue("y", 4);
  world.running("x0", "n0", 0, 1, "x");
  world.running("x1", "n0", 1, 1, "x");
  world.running("x2", "n0", 2, 1, "x").priority = 5;
  world.running("y0", "n0", 3, 1, "y");
  Walk walk(world, {"x0", "x1", "x2", "y0"});
  auto order = walk.order();
  CHECK(name(order.next()) == "x1 ");
  CHECK(name(order.next()) == "x0 ");
  CHECK(name(order.next()) == "x2 ");
  CHECK(name(order.next()) == "y0 ");
  CHECK(name(order.next()) == "-");
}

TEST_CASE("a gang gives what is above its minimum pod by pod, then the rest") {
  World world;
  world.node("n0", 8);
  auto& gang = world.gang("g", "a", 2);
  for (int i = 0; i < 4; ++i) world.member(gang, "g" + std::to_string(i), 1, "n0", i);
  Walk walk(world, {"g"});
  auto order = walk.order();
  auto chunk = order.next();
  CHECK(name(chunk) == "g3 ");
  CHECK(chunk->keeps_minimum);
  CHECK(chunk->counts[walk.parts.gpu()] == 1);
  CHECK(walk.parts.task("g", 3).state == policy::TaskState::yielding);
  CHECK(name(order.next()) == "g2 ");
  chunk = order.next();
  CHECK(chunk->tasks.size() == 2);
  CHECK_FALSE(chunk->keeps_minimum);
  CHECK_FALSE(order.next());
}

TEST_CASE("finding a victim compares the queues on its way to the top, and not all") {
  World world;
  constexpr int queues = 64;
  constexpr int jobs_each = 8;
  world.node("n0", queues * jobs_each);
  std::vector<std::string> running;
  for (int q = 0; q < queues; ++q) {
    const auto queue = "q" + std::to_string(q);
    world.queue(queue, q % 3);
    for (int i = 0; i < jobs_each; ++i) {
      running.push_back(queue + "-" + std::to_string(i));
      world.running(running.back(), "n0", q * jobs_each + i, 1, queue);
    }
  }
  Walk walk(world, running);
  auto order = walk.order();
  std::size_t victims = 0;
  while (order.next()) ++victims;
  CHECK(victims == std::size_t{queues} * jobs_each);
  // 64 queues are a tree of 6 levels.
  CHECK(order.compared() <= queues + victims * 6);
}

TEST_CASE("marks end with the order, unless they are kept") {
  World world;
  world.node("n0", 8);
  world.running("r", "n0", 0, 1, "a");
  Walk walk(world, {"r"});
  const bool keep = GENERATE(false, true);
  {
    auto order = walk.order();
    REQUIRE(order.next());
    if (keep) order.keep_marks();
  }
  const auto want = keep ? policy::TaskState::yielding : policy::TaskState::placed;
  CHECK(walk.parts.task("r").state == want);
}

TEST_CASE("who is spared is placed again and gives no more") {
  World world;
  world.node("n0", 8);
  auto& gang = world.gang("g", "a", 1);
  for (int i = 0; i < 3; ++i) world.member(gang, "g" + std::to_string(i), 1, "n0", i);
  world.running("r", "n0", 4, 1, "a").priority = 5;
  Walk walk(world, {"g", "r"});
  auto order = walk.order();
  CHECK(name(order.next()) == "g2 ");
  order.spare();
  CHECK(walk.parts.task("g", 2).state == policy::TaskState::placed);
  CHECK(name(order.next()) == "r ");
  CHECK(name(order.next()) == "-");
}

TEST_CASE(
    "in place of a pod that keeps its place another of its set goes, and no part of a minimum "
    "stays") {
  struct Row {
    const char* name;
    int minimum;
    int members;
    std::set<std::string> keep;
    std::vector<std::string> want;
    bool runs_on;  ///< without the last of them
  };
  const auto row = GENERATE(Row{"above the minimum", 2, 4, {"g3"}, {"g2 ", "g3 "}, true},
                            Row{"what runs is just the minimum", 2, 3, {"g2"}, {"g2 "}, true},
                            Row{"all that runs", 1, 2, {"g1"}, {"g0 "}, false},
                            Row{"nothing else is placed", 1, 2, {"g0", "g1"}, {"g1 "}, true});
  DYNAMIC_SECTION(row.name) {
    World world;
    world.node("n0", 8);
    auto& gang = world.gang("g", "a", row.minimum);
    for (int i = 0; i < row.members; ++i) world.member(gang, "g" + std::to_string(i), 1, "n0", i);
    Walk walk(world, {"g"});
    auto order = walk.order({}, row.keep);
    std::optional<VictimOrder::Chunk> chunk;
    for (const auto& want : row.want) {
      chunk = order.next();
      CHECK(name(chunk) == want);
    }
    CHECK(chunk->keeps_minimum == row.runs_on);
  }
}

TEST_CASE("closed queues give nothing") {
  World world;
  world.node("n0", 8);
  world.queue("x", 1);
  world.queue("y", 1);
  world.running("x0", "n0", 0, 1, "x");
  world.running("x1", "n0", 1, 1, "x");
  world.running("y0", "n0", 2, 1, "y");
  Walk walk(world, {"x0", "x1", "y0"});
  SECTION("from the beginning") {
    std::vector<char> open(walk.candidates.size(), 1);
    open[walk.parts.queue("x").get()] = 0;
    auto order = walk.order(open);
    CHECK(name(order.next()) == "y0 ");
    CHECK(name(order.next()) == "-");
  }
  SECTION("later") {
    auto order = walk.order();
    CHECK(name(order.next()) == "x1 ");
    order.close_queue(walk.parts.queue("x"));
    CHECK(name(order.next()) == "y0 ");
    CHECK(name(order.next()) == "-");
  }
}

TEST_CASE("what was taken from a queue counts when the next victim is chosen") {
  World world;
  world.node("n0", 8);
  world.queue("x", 1);
  world.queue("y", 1);
  std::vector<std::string> running;
  for (int i = 0; i < 3; ++i) {
    for (const auto* queue : {"x", "y"}) {
      running.push_back(queue + std::to_string(i));
      world.running(running.back(), "n0", static_cast<int>(running.size()) - 1, 1, queue);
    }
  }
  Walk walk(world, running);
  auto order = walk.order();
  std::string all;
  SECTION("taken") {
    while (const auto chunk = order.next()) all += name(chunk);
    CHECK(all == "y2 x2 y1 x1 y0 x0 ");
  }
  SECTION("spared") {
    CHECK(name(order.next()) == "y2 ");
    order.spare();
    CHECK(name(order.next()) == "y1 ");
    CHECK(name(order.next()) == "x2 ");
  }
}

}  // namespace
}  // namespace dray::planner::victim_order_test
