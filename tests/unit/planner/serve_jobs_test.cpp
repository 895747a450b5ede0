#include "planner/serve_jobs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::serve_jobs_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

using Placed = std::map<std::string, std::string>;

TEST_CASE("a queue at its limit, or at its quota for what is not preemptible, gets no more") {
  World world;
  world.node("n0", 8);
  world.queue("x", 2).limit["gpu"] = Quantity(3);
  world.running("r", "n0", 0, 2, "x").preemptible = false;
  world.waiting("w0", 1, "x");
  world.waiting("w1", 1, "x");
  world.waiting("fixed", 1, "x").preemptible = false;
  const auto made = world.plan();
  CHECK(outcome(made, "w0").placements.size() == 1);
  CHECK(outcome(made, "w1").reason == Reason::queue_limit);
  CHECK(made.refused_early == 2);
  CHECK(outcome(made, "fixed").placements.empty());
  world.config.queues[0].limit.clear();
  CHECK(outcome(world.plan(), "fixed").reason == Reason::queue_quota);
}

TEST_CASE("a gang starts at its minimum and grows as far as there is room") {
  World world;
  world.node("n0", 3);
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 4, 1);
  const auto made = world.plan();
  const auto& of = outcome(made, "g");
  CHECK(of.placements.size() == 3);
  CHECK(of.reason == Reason::none);
  CHECK(of.pods.size() == 4);
}

TEST_CASE("a gang without room says how far it came") {
  World world;
  world.node("n0", 4);
  world.running("r", "n0", 0, 1, "a");
  auto& gang = world.gang("g", "a", 4);
  world.members(gang, 4, 1);
  const auto made = world.plan();
  CHECK(outcome(made, "g").reason == Reason::gang_no_room);
  CHECK_THAT(outcome(made, "g").detail, Catch::StartsWith("room for 3 of 4 pods; the next: "));
}

TEST_CASE("a gang that lacks pods or claims waits for these") {
  World world;
  world.node("n0", 8);
  auto& few = world.gang("few", "a", 3);
  world.members(few, 2, 1);
  auto& unready = world.gang("unready", "a", 2);
  world.members(unready, 2, 1);
  world.state.apply(
      cluster::ObjectGone{Kind::resource_claim, "default", "c-unready1", Uid("uid-c-unready1")});
  world.waiting("lost", 1, "nowhere");
  const auto made = world.plan();
  CHECK(outcome(made, "few").reason == Reason::gang_incomplete);
  CHECK(outcome(made, "few").detail == "2 of 3");
  CHECK(outcome(made, "unready").reason == Reason::claim_missing);
  CHECK(outcome(made, "lost").reason == Reason::queue_missing);
}

TEST_CASE("a gang does not wait for a member whose claim is not there, if the others suffice") {
  World world;
  world.node("n0", 8);
  world.members(world.gang("g", "a", 2), 4, 1);
  world.state.apply(cluster::ObjectGone{Kind::resource_claim, "default", "c-g0", Uid("uid-c-g0")});
  const auto made = world.plan();
  const auto& of = outcome(made, "g");
  REQUIRE(of.placements.size() == 3);
  CHECK(
      std::ranges::none_of(of.placements, [](const auto& each) { return each.pod.name == "g0"; }));
  // It comes, and is one of those that the gang grows by.
  world.state.apply(cluster::ObjectChanged{testing::make_claim("c-g0", 1)});
  CHECK(outcome(world.plan(), "g").placements.size() == 4);
}

TEST_CASE("room that an earlier plan holds for a job is nobody else's") {
  World world;
  world.node("n0", 1);
  world.node("n1", 1);
  world.running("r0", "n0", 0, 1, "a").members[0].state = MemberState::leaving;
  world.running("r1", "n1", 0, 1, "a");
  world.waiting("other", 1, "a").priority = 9;
  world.waiting("w", 1, "a");
  const Placement placement{
      .pod = {"default", "w"}, .pod_uid = Uid("uid-w"), .node = NodeName("n0"), .claims = {}};
  const bool held = GENERATE(true, false);
  if (held) world.input.holds = {{.job = Uid("uid-w"), .placements = {placement}}};
  const auto made = world.plan();
  CHECK(placed(made) == (held ? Placed{{"w", "held n0"}, {"other", "-"}}
                              : Placed{{"other", "held n0"}, {"w", "-"}}));
  CHECK(outcome(made, held ? "w" : "other").reason == Reason::room_freed);
}

TEST_CASE("a job with held room starts elsewhere where that is idle") {
  World world;
  world.node("n0", 1);
  world.node("n1", 1);
  world.running("r0", "n0", 0, 1, "a").members[0].state = MemberState::leaving;
  world.waiting("w", 1, "a");
  world.input.holds = {{.job = Uid("uid-w"),
                        .placements = {{.pod = {"default", "w"},
                                        .pod_uid = Uid("uid-w"),
                                        .node = NodeName("n0"),
                                        .claims = {}}}},
                       {.job = Uid("uid-gone"), .placements = {}}};
  CHECK(placed(world.plan()) == Placed{{"w", "n1"}});
}

TEST_CASE("room of those who are leaving is held for who comes next") {
  World world;
  world.node("n0", 1);
  const auto state = GENERATE(MemberState::leaving, MemberState::stuck);
  world.running("r0", "n0", 0, 1, "a").members[0].state = state;
  world.waiting("w", 1, "a");
  CHECK(placed(world.plan()) == Placed{{"w", state == MemberState::leaving ? "held n0" : "-"}});
}

TEST_CASE("devices of claims whose pods are gone are held as well") {
  World world;
  world.node("n0", 1);
  auto claim = make_claim("gone", 1, "nobody");
  auto& device = claim.allocation.emplace().devices.emplace_back();
  device.request = "gpu";
  device.device = {DriverName("gpu.example.com"), PoolName("n0"), DeviceName("gpu-0")};
  world.tell(claim);
  world.waiting("w", 1, "a");
  CHECK(placed(world.plan()) == Placed{{"w", "-"}});
  world.input.leaving = {{{"default", "gone"}, NodeName("n0")}};
  CHECK(placed(world.plan()) == Placed{{"w", "held n0"}});
}

TEST_CASE("a plan serves so many jobs, and says that others are to come") {
  World world;
  world.node("n0", 8);
  for (const auto* name : {"w0", "w1", "w2"}) world.waiting(name, 1, "a");
  world.input.budget.jobs = 2;
  const auto made = world.plan();
  CHECK(made.exhausted);
  CHECK(placed(made) == Placed{{"w0", "n0"}, {"w1", "n0"}, {"w2", "-"}});
  CHECK(made.jobs.back().reason == Reason::planning);
  world.input.budget.jobs = 3;
  CHECK_FALSE(world.plan().exhausted);
}

TEST_CASE("jobs are only placed where that is asked for") {
  World world;
  world.node("n0", 8);
  world.waiting("w0", 1, "a");
  world.input.actions.place = false;
  CHECK(placed(world.plan()).empty());
}

TEST_CASE("members that wait in a gang that has started do not say why") {
  World world;
  world.queue("a", 0);
  world.queue("b", 0);
  world.node("n0", 2);
  auto& gang = world.gang("g", "a", 1);
  world.members(gang, 3, 1);
  const auto made = world.plan();
  CHECK(outcome(made, "g").reason == Reason::none);
  CHECK(outcome(made, "g").placements.size() == 2);
  // Of one that ran before they do.
  auto& old = world.gang("old", "b", 1);
  world.member(old, "old0", 0, "n0");
  world.member(old, "old1", 3);
  CHECK(outcome(world.plan(), "old").reason == Reason::no_node_fits);
}

TEST_CASE("a gang that has waited long keeps nodes to itself until it starts") {
  World world;
  for (const auto* name : {"n0", "n1", "n2"}) world.node(name, 2);
  world.config.gangs.reserve_after = 10min;
  // One GPU of each node is in use: the gang wants two whole nodes.
  for (const auto* name : {"n0", "n1", "n2"}) {
    world.running(std::string("r") + name, name, 0, 1, "a");
  }
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 2, 2);
  const auto waited = GENERATE(9min, 10min);
  gang.queued = start - waited;
  gang.priority = 9;
  world.waiting("s0", 1, "a");
  world.waiting("s1", 1, "a");
  const auto made = world.plan();
  CHECK(outcome(made, "g").reason == Reason::gang_no_room);
  if (waited == 9min) {
    CHECK(made.again_at == start + 1min);
    CHECK(outcome(made, "s1").placements.size() == 1);
    return;
  }
  CHECK_THAT(outcome(made, "g").detail, Catch::EndsWith("; 2 nodes are kept for it"));
  CHECK(placed(made)["s0"] == "n2");
  CHECK(outcome(made, "s1").placements.empty());
  CHECK_FALSE(made.again_at);
}

TEST_CASE("held room is not kept for a job whose queue has reached its limit") {
  World world;
  world.queue("x", 1).limit["gpu"] = Quantity(1);
  world.queue("y", 1);
  for (const auto* name : {"n0", "n1"}) world.node(name, 1);
  world.running("y0", "n0", 0, 1, "y").members[0].state = MemberState::leaving;
  world.running("x0", "n1", 0, 1, "x");
  world.waiting("w", 1, "x");
  world.waiting("y1", 1, "y");
  world.input.holds = {{.job = Uid("uid-w"),
                        .placements = {{.pod = {"default", "w"},
                                        .pod_uid = Uid("uid-w"),
                                        .node = NodeName("n0"),
                                        .claims = {}}}}};
  const auto made = world.plan();
  CHECK(placed(made) == Placed{{"w", "-"}, {"y1", "held n0"}});
  CHECK(outcome(made, "w").reason == Reason::queue_limit);
}

TEST_CASE("a gang that no domain can take says so") {
  World world;
  world.config.topology = {"zone"};
  for (const auto* name : {"n0", "n1"}) {
    world.node(name, 1, [&](Node& node) { node.meta.labels["zone"] = name; });
  }
  auto& gang = world.gang("g", "a", 2);
  gang.gang.topology.required = "zone";
  world.members(gang, 2, 1);
  CHECK(outcome(world.plan(), "g").reason == Reason::no_domain);
}

TEST_CASE("nodes are kept for one gang at a time, and others are told that they are") {
  World world;
  world.config.gangs.reserve_after = 10min;
  const int nodes = GENERATE(2, 4);
  for (int i = 0; i < nodes; ++i) {
    const auto name = "n" + std::to_string(i);
    world.node(name, 2);
    world.running("r" + name, name, 0, 1, "a");
  }
  for (const auto* name : {"g", "h"}) {
    auto& gang = world.gang(name, "a", 2);
    gang.queued = start - 1h;
    gang.priority = *name == 'g' ? 9 : 8;
    world.members(gang, 2, 2);
  }
  world.waiting("s", 1, "a");
  const auto made = world.plan();
  CHECK_THAT(outcome(made, "g").detail, Catch::EndsWith("; 2 nodes are kept for it"));
  CHECK_THAT(outcome(made, "h").detail, !Catch::Contains("kept for it"));
  CHECK(outcome(made, "s").placements.size() == (nodes == 2 ? 0 : 1));
  CHECK(outcome(made, "s").reason == (nodes == 2 ? Reason::room_kept : Reason::none));
}

}  // namespace
}  // namespace dray::planner::serve_jobs_test
