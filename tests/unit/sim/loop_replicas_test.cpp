#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/sim/loop_world.h"

// What the weather does to the engine's writes and to calls of it: a fate that were kinder than it
// says would hide what the fault simulation is to find.

namespace dray::sim::loop_replicas_test {
namespace {

using namespace std::chrono_literals;
using dray::testing::first;
using dray::testing::LoopWorld;

bool allocated(LoopWorld& world) {
  const auto claims = world.loop.server().list(Kind::resource_claim).items;
  return std::ranges::any_of(claims, [](const auto& object) {
    return std::get<ResourceClaim>(*object).allocation.has_value();
  });
}

TEST_CASE("what becomes of a write, and when its sender hears of it") {
  struct Row {
    const char* name;
    Fate fate;
    bool lands_at_once;
    bool bound_at_once;
  };
  const auto row = GENERATE(
      Row{"delivered", Fate::delivered, true, true}, Row{"lost", Fate::lost, false, false},
      Row{"unanswered", Fate::unanswered, true, false}, Row{"late", Fate::late, false, false});
  DYNAMIC_SECTION(row.name) {
    LoopWorld world;
    world.weather.of_write = first<engine::AllocateClaim>(row.fate);
    world.start();
    world.pod("p");
    const auto landed = world.until([&] { return allocated(world); });
    const auto bound = world.until([&] { return world.bound("p"); });
    REQUIRE(landed);
    REQUIRE(bound);
    CHECK((*landed < 5s) == row.lands_at_once);
    CHECK((*landed + *bound < 5s) == row.bound_at_once);
    world.pass(10s);
    CHECK(world.traced("lands") == (row.fate == Fate::late));
  }
}

TEST_CASE("a write that lands late lands after its sender was told that there is no answer") {
  LoopWorld world;
  world.weather.of_write = [](const engine::Write& write) {
    return std::holds_alternative<engine::LiftGate>(write) ? Fate::late : Fate::delivered;
  };
  world.start();
  world.pod("p");
  const auto lifted = world.until([&] { return world.find("p")->scheduling_gates.empty(); });
  REQUIRE(lifted);
  CHECK(*lifted >= 6s);  // the deadline of 5 s, and a second
  CHECK(*lifted < 7s);
}

TEST_CASE("what a process sent late is refused when the next one leads") {
  LoopWorld world;
  world.weather.of_write = [](const engine::Write& write) {
    return std::holds_alternative<engine::LiftGate>(write) ? Fate::late : Fate::delivered;
  };
  world.weather.late = 20s;
  world.start();
  world.pod("p");
  world.pass(1s);
  world.kill();
  world.loop.start_replica(1, {});
  world.pass(25s);
  CHECK(world.traced("leads      dray-1"));
  CHECK(world.traced("fenced     LiftGate default/p by 0"));
}

TEST_CASE("a stopped leader is followed by another, and writes nothing when it goes on") {
  LoopWorld world;
  world.start();
  world.pass(1s);
  world.loop.start_replica(1, {});
  world.pass(1s);
  world.pod("p");
  world.weather.of_write = [](const engine::Write&) { return Fate::delivered; };
  auto& first = *world.loop.replica(0);
  first.process().stop();
  CHECK(world.until([&] { return world.loop.replica(1)->leads(); }));
  using Thread = Process::Thread;
  first.process().go_on({Thread::writer, Thread::engine, Thread::lease});
  CHECK_FALSE(world.traced("fenced"));
  CHECK(world.until([&] { return world.bound("p"); }));
  CHECK_FALSE(first.leads());
}

TEST_CASE("a crash ends the engine in the middle, and the next one ends what it began") {
  LoopWorld world;
  world.weather.of_write = first<engine::BindPod>(Fate::lost);
  world.start();
  world.pod("p");
  REQUIRE(world.until([&] { return world.loop.counts().binds == 1; }));
  world.pass(10ms);
  world.kill();
  CHECK(world.loop.leader() == nullptr);
  CHECK_FALSE(world.bound("p"));
  world.pass(1s);
  world.start();
  CHECK(world.until([&] { return world.bound("p"); }));
  CHECK(world.loop.counts().replicas_started == 2);
}

TEST_CASE("a call that is lost is ended by kube-scheduler's time-out") {
  LoopWorld world;
  world.weather.of_calls = {Fate::lost};
  world.start();
  world.pod("p");
  REQUIRE(world.until([&] { return world.loop.counts().filters == 1; }));
  const auto again = world.until([&] { return world.loop.counts().filters == 2; });
  REQUIRE(again);
  CHECK(*again >= 5s);
  CHECK(world.until([&] { return world.bound("p"); }));
}

TEST_CASE("an answer that gets lost was given all the same") {
  LoopWorld world;
  std::vector<std::string> answers;
  world.loop.set_bind_observer(
      [&](const extender::BindRequest&, const std::string& error) { answers.push_back(error); });
  world.weather.of_calls = {Fate::delivered, Fate::unanswered};  // the filter, the bind
  world.start();
  world.pod("p");
  REQUIRE(world.until([&] { return world.bound("p"); }));
  world.pass(1s);
  CHECK(answers == std::vector<std::string>{""});
}

}  // namespace
}  // namespace dray::sim::loop_replicas_test
