#include "planner/serve_losers.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::serve_losers_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

/// Gang `low` runs with a GPU on n0 and one on n2; `high` wants all of two nodes. `mid`, two pods
/// of a GPU, is served before `late`, which fills n1.
struct Losing {
  World world;
  Job* late = nullptr;

  Losing() {
    world.allow_all_actions();
    world.queue("x", 8);
    for (const auto* name : {"n0", "n1", "n2"}) world.node(name, 2);
    auto& low = world.gang("low", "x", 1);
    world.member(low, "low0", 1, "n2", 0);
    world.member(low, "low1", 1, "n0", 0);
    low.priority = -1;
    auto& high = world.gang("high", "x", 2);
    world.members(high, 2, 2);
    high.priority = 10;
    auto& mid = world.gang("mid", "x", 2);
    world.members(mid, 2, 1);
    late = &world.waiting("late", 2, "x");
    late->created = late->queued = start + 1s;
  }
};

using Places = std::map<std::string, std::string>;

TEST_CASE("who lost its place to a higher priority gets that of a job that is served after it") {
  Losing c;
  const auto made = c.world.plan();
  CHECK(placed(made) == Places{{"high", "held n0 held n2"}, {"mid", "n1 n1"}, {"late", "-"}});
  CHECK(evicted(made) == Names{"low1", "low0"});
  CHECK(outcome(made, "late").reason == Reason::room_kept);
  CHECK(outcome(made, "late").detail == "its room goes to default/mid");
}

TEST_CASE("whose place another gets may go on in what is left of it") {
  Losing c;
  c.world.node("n1", 3);
  auto& last = c.world.waiting("last", 1, "x");
  last.created = last.queued = start + 2s;
  const auto made = c.world.plan();
  CHECK(placed(made) ==
        Places{{"high", "held n0 held n2"}, {"mid", "n1 n1"}, {"late", "-"}, {"last", "n1"}});
}

TEST_CASE("what is served first keeps its place, and so does another queue's job") {
  Losing c;
  SECTION("by age") {
    c.late->created = c.late->queued = start - 1s;
  }
  SECTION("by priority") {
    c.late->priority = 1;
  }
  SECTION("in another queue") {
    c.world.queue("y", 8);
    c.late->queue = policy::QueueName("y");
  }
  const auto made = c.world.plan();
  CHECK(placed(made)["high"] == "held n0 held n2");
  CHECK(placed(made)["mid"] == "-");
  CHECK(placed(made)["late"] == "n1");
}

TEST_CASE("nobody loses a place that would not do") {
  Losing c;
  for (const auto* name : {"n0", "n2"}) {
    c.world.node(name, 2, [](Node& node) { node.meta.labels["zone"] = "a"; });
  }
  auto& mid = c.world.job("mid");
  for (auto& member : mid.members) {
    auto pod = *member.pod;
    pod.node_selector["zone"] = "a";
    member.pod = std::make_shared<const Pod>(pod);
  }
  const auto made = c.world.plan();
  CHECK(placed(made)["high"] == "held n0 held n2");
  CHECK(placed(made)["mid"] == "-");
  CHECK(placed(made)["late"] == "n1");
}

TEST_CASE("who lost its place gets another within its queue's limit only") {
  const std::int64_t limit = GENERATE(2, 3);
  World world;
  world.node("n0", 4);
  world.queue("x", 0).limit["gpu"] = Quantity(limit);
  world.running("r", "n0", 0, 1, "x");
  world.waiting("loser", 2, "x");
  Parts parts(world);
  auto& loser = parts.job("loser");
  parts.decisions.wait(loser, Reason::room_kept, {});
  ServeLosers losers(parts.context, parts.memory.jobs(), parts.overlay, parts.placer,
                     parts.decisions);
  losers.run({&loser});
  CHECK(parts.held("x") == (limit == 3 ? 3 : 1));
}

}  // namespace
}  // namespace dray::planner::serve_losers_test
