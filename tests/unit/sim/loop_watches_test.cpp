#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/sim/loop_world.h"

// Lists and watches on their way to a client: what it is told, when, and in which order.

namespace dray::sim::loop_watches_test {
namespace {

using namespace std::chrono_literals;
using dray::testing::LoopWorld;

bool knows(LoopWorld& world, const std::string& pod) {
  return world.engine().pod({"default", pod}).has_value();
}

TEST_CASE("an engine is told that it knows all when its last kind has been listed, not before") {
  LoopWorld world;
  world.weather.engine_lists[Kind::device_class] = 3s;
  world.start();
  world.pass(2999ms);
  CHECK_FALSE(world.engine().status().synced);
  world.pass(2ms);
  CHECK(world.engine().status().synced);
}

TEST_CASE("a list is of its begin; what comes while it is on its way is told after it") {
  LoopWorld world;
  world.weather.engine_lists[Kind::pod] = 1s;
  world.start();
  world.pass(500ms);
  world.pod("p");
  world.pass(502ms);
  CHECK(knows(world, "p"));
}

TEST_CASE("a watch that was away tells what was missed when it is back") {
  const bool relist = GENERATE(false, true);
  CAPTURE(relist);
  LoopWorld world;
  const auto nodes = [&] { return world.engine().status().nodes; };
  world.start();
  world.pass(1s);
  REQUIRE(nodes() == 1);
  const auto lists = world.loop.counts().relists;
  world.loop.break_watch(Client::dray, Kind::node, 3s, relist);
  for (const auto* name : {"n1", "n2"}) world.create(dray::testing::make_node(name));
  CHECK(world.loop.server().remove(Kind::node, "", "n0", {}, world.loop.now()));
  CHECK(world.loop.server().remove(Kind::node, "", "n2", {}, world.loop.now()));
  world.create(dray::testing::make_node("n3"));
  world.create(dray::testing::make_node("n4"));
  world.pass(2900ms);
  CHECK(nodes() == 1);
  world.pass(200ms);
  CHECK(nodes() == 3);
  CHECK(world.loop.counts().relists == lists + (relist ? 1 : 0));
}

TEST_CASE("who was away for longer than the server remembers lists again") {
  auto options = LoopWorld::gated();
  options.server.watch_window = 2;
  LoopWorld world(options);
  world.start();
  world.pass(1s);
  const auto lists = world.loop.counts().relists;
  world.loop.break_watch(Client::dray, Kind::node, 1s, false);
  for (const auto* name : {"n1", "n2", "n3", "n4"}) {
    world.create(dray::testing::make_node(name));
    world.pass(10ms);  // the others keep up
  }
  world.pass(2s);
  CHECK(world.loop.counts().relists == lists + 1);
  CHECK(world.engine().status().nodes == 5);
}

TEST_CASE("changes of one kind stay in their order, however slow the first one is") {
  LoopWorld world;
  world.start();
  world.pass(1s);
  world.weather.engine_pods = {1s, 1ms};
  world.pod("a");
  world.pod("b");
  world.pass(999ms);
  CHECK_FALSE(knows(world, "b"));
  world.pass(2ms);
  CHECK(knows(world, "a"));
  CHECK(knows(world, "b"));
}

TEST_CASE("nothing is told to an engine that has ended, and the next one is told it all") {
  LoopWorld world;
  world.start();
  world.pass(1s);
  world.kill();
  world.pod("p");
  world.pass(1s);
  CHECK_FALSE(knows(world, "p"));
  world.start();
  CHECK_FALSE(knows(world, "p"));
  world.pass(100ms);
  CHECK(knows(world, "p"));
}

}  // namespace
}  // namespace dray::sim::loop_watches_test
