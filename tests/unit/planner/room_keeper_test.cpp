#include "planner/room_keeper.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <set>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::room_keeper_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

using Where = std::map<std::string, std::string>;

Edit<Pod> deadline(std::chrono::seconds after) {
  return [after](Pod& pod) {
    pod.active_deadline_seconds = after.count();
    pod.start_time = start;
  };
}

/// Nodes n0, n1… of so many GPUs.
World cluster(int nodes, int gpus) {
  World world;
  world.config.gangs.reserve_after = 10min;
  for (int i = 0; i < nodes; ++i) world.node("n" + std::to_string(i), gpus);
  return world;
}

/// A gang that has waited for an hour.
Job& old_gang(World& world, const std::string& name, const std::string& queue, int pods, int gpus) {
  auto& gang = world.gang(name, queue, pods);
  world.members(gang, pods, gpus);
  gang.queued = gang.created = start - 1h;
  return gang;
}

Job& old_pod(World& world, const std::string& name, int gpus, const std::string& queue) {
  auto& job = world.waiting(name, gpus, queue);
  job.queued = job.created = start - 1h;
  return job;
}

std::set<std::string> kept_nodes(const Plan& plan) {
  std::set<std::string> nodes;
  if (!plan.kept) return nodes;
  for (const auto& placement : plan.kept->placements) nodes.insert(placement.node.get());
  return nodes;
}

void give_back(World& world, const Plan& plan) {
  world.input.kept = plan.kept ? std::make_shared<const KeptRoom>(*plan.kept) : nullptr;
}

/// Two queues of equal shares; `small` has all of n0, and a pod that waits comes first in turn.
World two_tenants() {
  auto world = cluster(2, 8);
  world.queue("large", 0);
  world.queue("small", 0);
  world.fill("s", 8, "n0", "small");
  old_gang(world, "g", "large", 2, 8);
  world.waiting("next", 1, "small");
  return world;
}

TEST_CASE("room for a gang is kept from the queue whose turn comes first") {
  auto world = two_tenants();
  // Also where its pods have waited longer: what their queue holds now decides.
  world.job("next").queued = start - GENERATE(0h, 2h);
  const auto made = world.plan();
  CHECK(placed(made) == Where{{"g", "-"}, {"next", "-"}});
  CHECK(outcome(made, "next").reason == Reason::room_kept);
  CHECK(outcome(made, "next").detail.empty());  // nobody hears of other tenants' jobs
  CHECK_THAT(outcome(made, "g").detail, Catch::EndsWith("; 2 nodes are kept for it"));
  REQUIRE(made.kept);
  CHECK(made.kept->job == Uid("uid-g"));
  CHECK(made.kept->in_the_way.size() == 8);
  CHECK_FALSE(made.kept->complete);
}

TEST_CASE("room is kept from plan to plan, on the same nodes, and ends when the job starts") {
  auto world = cluster(3, 2);
  world.queue("a", 0);
  for (const auto* node : {"n0", "n1", "n2"}) {
    world.running(std::string("r") + node, node, 0, 1, "a");
  }
  old_gang(world, "g", "a", 2, 2);
  const auto first = world.plan();
  CHECK(kept_nodes(first) == std::set<std::string>{"n0", "n1"});
  give_back(world, first);
  // Another node is emptier by now, and others come first.
  world.node("n9", 2);
  world.running("r9", "n9", 0, 1, "a").members[0].state = MemberState::done;
  world.waiting("s0", 1, "a").priority = 9;
  world.waiting("s1", 1, "a").priority = 9;
  const auto again = world.plan();
  CHECK(kept_nodes(again).size() == 2);
  CHECK(std::ranges::includes(first.kept->in_the_way, again.kept->in_the_way));
  give_back(world, again);
  for (const auto* name : {"rn0", "rn1"}) {
    world.job(name).members[0].state = MemberState::done;
    world.state.apply(cluster::ObjectGone{Kind::pod, "default", name, {}});
    world.state.apply(
        cluster::ObjectGone{Kind::resource_claim, "default", "c-" + std::string(name), {}});
  }
  const auto last = world.plan();
  CHECK(outcome(last, "g").placements.size() == 2);
  CHECK_FALSE(last.kept);
}

TEST_CASE("room is kept only for a job that could start") {
  auto world = cluster(2, 4);
  world.queue("a", 0);
  world.queue("b", 0).limit["gpu"] = Quantity(8);
  world.running("r0", "n0", 0, 1, "b");
  const auto why = GENERATE(as<std::string>(), "selector", "too many", "limit");
  if (why == "selector") {
    auto& gang = world.gang("g", "b", 2);
    for (const auto* name : {"g0", "g1"}) {
      world.member(gang, name, 4, {}, 0, [](Pod& pod) { pod.node_selector["no"] = "such"; });
    }
    gang.queued = start - 1h;
  } else if (why == "too many") {
    old_gang(world, "g", "b", 3, 4);
    world.config.queues[1].limit.clear();
  } else {
    old_gang(world, "g", "b", 2, 4);
  }
  for (int i = 0; i < 7; ++i) world.waiting("s" + std::to_string(i), 1, "a");
  const auto made = world.plan();
  CHECK_FALSE(made.kept);
  for (int i = 0; i < 7; ++i) {
    CHECK(outcome(made, "s" + std::to_string(i)).placements.size() == 1);
  }
}

TEST_CASE("as little room is kept as the job needs") {
  auto world = cluster(3, 8);
  world.queue("a", 0);
  for (const auto* node : {"n0", "n1", "n2"}) {
    for (int i = 0; i < 7; ++i) {
      world.running(std::string("r") + node + std::to_string(i), node, i, 1, "a");
    }
  }
  // Four GPUs: one node, and there three more have to become free.
  old_gang(world, "g", "a", 2, 2);
  for (const auto* name : {"s0", "s1", "s2"}) world.waiting(name, 1, "a");
  const auto made = world.plan();
  CHECK(kept_nodes(made) == std::set<std::string>{"n0"});
  CHECK(made.kept->in_the_way.size() == 3);
  CHECK(placed(made) == Where{{"g", "-"}, {"s0", "n1"}, {"s1", "n2"}, {"s2", "-"}});
}

TEST_CASE("room is kept for a pod that wants a whole node, and not for one that wants a GPU") {
  auto world = cluster(2, 4);
  world.queue("a", 0);
  world.fill("r", 3, "n0", "a");
  world.fill("q", 4, "n1", "a");
  const int gpus = GENERATE(1, 4);
  old_pod(world, "w", gpus, "a");
  auto& s = world.waiting("s", 1, "a");
  s.priority = 9;
  const auto made = world.plan();
  CHECK(made.kept.has_value() == (gpus == 4));
  CHECK(placed(made)["s"] == (gpus == 4 ? "-" : "n0"));
}

TEST_CASE("nodes whose pods end first are kept, where that is known") {
  auto world = cluster(3, 2);
  world.queue("a", 0);
  world.running("r0", "n0", 0, 1, "a");
  world.running("r1", "n1", 0, 2, "a", deadline(2h));
  world.running("r2", "n2", 0, 1, "a", deadline(1h));
  world.running("q2", "n2", 1, 1, "a", deadline(30min));
  old_pod(world, "w", 2, "a");
  const auto made = world.plan();
  CHECK(kept_nodes(made) == std::set<std::string>{"n2"});
  CHECK(made.kept->complete == start + 1h);
}

TEST_CASE("pods that share the claim of a job that room is kept for do not start with it") {
  auto world = cluster(1, 2);
  world.queue("a", 0);
  world.queue("b", 0);
  world.fill("r", 2, "n0", "b");
  world.tell(make_claim("s", 2));
  const auto shares = [](Pod& pod) {
    pod = dray::testing::with_claim(std::move(pod), "s", "shared");
  };
  for (const auto* name : {"x0", "x1", "x2"}) {
    auto& job = world.waiting(name, 0, "a", shares);
    job.queued = job.created = start - 1h;
  }
  const auto made = world.plan();
  REQUIRE(made.kept);
  CHECK(placed(made) == Where{{"x0", "-"}, {"x1", "-"}, {"x2", "-"}});
  CHECK(std::ranges::all_of(made.jobs, [](const auto& job) { return job.held.empty(); }));
  give_back(world, made);
  const auto again = world.plan();
  CHECK(placed(again) == Where{{"x0", "-"}, {"x1", "-"}, {"x2", "-"}});
  for (const auto* name : {"r0", "r1"}) {
    world.job(name).members[0].state = MemberState::done;
    world.state.apply(cluster::ObjectGone{Kind::pod, "default", name, {}});
    world.state.apply(
        cluster::ObjectGone{Kind::resource_claim, "default", "c-" + std::string(name), {}});
  }
  CHECK(placed(world.plan()) == Where{{"x0", "n0"}, {"x1", "n0"}, {"x2", "n0"}});
}

TEST_CASE("what ends before kept room is complete may use it") {
  auto world = cluster(1, 4);
  world.queue("a", 0);
  world.running("r", "n0", 0, 2, "a", deadline(1h));
  old_pod(world, "w", 4, "a");
  world.waiting("long", 1, "a", [](Pod& pod) { pod.active_deadline_seconds = 3601; });
  world.waiting("open", 1, "a");
  world.waiting("short", 2, "a", [](Pod& pod) { pod.active_deadline_seconds = 3600; });
  const auto made = world.plan();
  CHECK(placed(made) == Where{{"w", "-"}, {"long", "-"}, {"open", "-"}, {"short", "n0"}});
  CHECK(outcome(made, "long").reason == Reason::room_kept);
  REQUIRE(made.kept);
  CHECK(made.kept->complete == start + 1h);
}

TEST_CASE("nobody on kept room is evicted for others, who would not get that room") {
  auto world = cluster(1, 2);
  world.config.reclaim.enabled = true;
  world.queue("a", 2);
  world.queue("b", 1);
  world.queue("c", 0);
  world.fill("r", 2, "n0", "c");
  world.waiting("owed", 1, "b");
  auto& w = old_pod(world, "w", 2, "a");
  w.may_evict = false;
  const bool waits_long = GENERATE(true, false);
  if (!waits_long) w.queued = start;
  const auto made = world.plan();
  CHECK(made.kept.has_value() == waits_long);
  CHECK(evicted(made).size() == (waits_long ? 0 : 1));
}

TEST_CASE(
    "no room is kept for a job that takes it back, or whose queue would have to give it back") {
  auto world = cluster(1, 2);
  world.config.reclaim.enabled = true;
  world.queue("a", 1);
  world.queue("b", 1);
  world.fill("r", 1, "n0", "a");
  old_pod(world, "x", 1, "b");
  const auto owed = GENERATE(true, false);
  if (owed) {
    world.running("q", "n0", 1, 1, "a");
    world.config.queues[0].quota["gpu"] = Quantity(0);
    world.config.queues[1].quota["gpu"] = Quantity(2);
    old_pod(world, "w", 2, "b").priority = 9;
  } else {
    old_pod(world, "w", 2, "a").priority = 9;
  }
  const auto made = world.plan();
  CHECK_FALSE(made.kept);
  CHECK(evicted(made).size() == (owed ? 2 : 0));
  CHECK(placed(made)["x"] == (owed ? "-" : "n0"));
}

TEST_CASE("a queue that holds more of its share than one that waits has no room kept") {
  auto world = cluster(2, 4);
  world.queue("a", 0);
  world.queue("b", 0);
  world.fill("r", 4, "n0", "a");
  world.fill("q", 4, "n1", "a");
  old_gang(world, "g", "a", 2, 4);
  SECTION("of those that could use it") {
    old_pod(world, "w", 1, "b");
  }
  SECTION("but for one that could not") {
    world.waiting("w", 1, "b", [](Pod& pod) { pod.node_selector["no"] = "such"; }).queued =
        start - 1h;
  }
  const bool could = world.job("w").first().node_selector.empty();
  CHECK(world.plan().kept.has_value() == !could);
}

TEST_CASE("a queue whose own pods are in the way keeps nobody else out") {
  auto world = cluster(2, 4);
  world.queue("a", 0);
  world.queue("b", 0);
  const auto whose = GENERATE(as<std::string>(), "a", "b");
  const bool ends = GENERATE(true, false);
  for (const auto* node : {"n0", "n1"}) {
    world.running(std::string("r") + node, node, 0, 1, whose, ends ? deadline(1h) : nullptr);
  }
  old_pod(world, "w", 4, "a");
  const int waited = GENERATE(0, 60);
  const std::vector<std::string> names{"b0", "b1", "b2", "b3", "b4", "b5"};
  for (const auto& name : names) {
    world.waiting(name, 1, "b").queued = start - std::chrono::minutes(waited);
  }
  const bool own = whose == "a" && !ends;
  auto made = world.plan();
  // It comes before the others where its queue holds no more than theirs.
  const bool first = whose == "b" || waited == 0;
  CHECK(made.kept.has_value() == first);
  if (!made.kept) return;
  // Whoever waits for long after that, too.
  give_back(world, made);
  for (const auto& name : names) world.job(name).queued = start - 50min;
  made = world.plan();
  CHECK(made.kept.has_value() == !own);
  CHECK(outcome(made, "b5").placements.size() == (own ? 1 : 0));
}

TEST_CASE("room that is kept for a job above its queue's quota is for jobs within theirs") {
  auto world = cluster(2, 4);
  const int quota = GENERATE(0, 2, 6);
  const int own_quota = GENERATE(0, 4);
  world.queue("a", own_quota);
  world.queue("b", quota);
  world.fill("r", 2, "n0", "b");
  world.fill("q", 2, "n1", "b");
  old_pod(world, "w", 4, "a");
  const auto first = world.plan();
  REQUIRE(first.kept);
  give_back(world, first);
  for (const auto* name : {"b0", "b1", "b2"}) {
    world.waiting(name, 1, "b").queued = start - 30min;
  }
  const bool owed = quota == 6 && own_quota == 0;
  const auto made = world.plan();
  CHECK(made.kept.has_value() == !owed);
  CHECK(outcome(made, "b2").placements.size() == (owed ? 1 : 0));
}

TEST_CASE(
    "room that does not become complete is kept from what queues are owed for some time only") {
  auto world = cluster(1, 4);
  world.queue("a", 4);
  world.queue("b", 2);
  world.queue("c", 0);
  world.running("r", "n0", 0, 1, "c");
  old_pod(world, "w", 4, "a");
  auto made = world.plan();
  REQUIRE(made.kept);
  CHECK(made.kept->since == start);
  give_back(world, made);
  world.waiting("owed", 1, "b");
  const auto hours = GENERATE(1h, 2h);
  world.input.now = start + hours;
  made = world.plan();
  CHECK(outcome(made, "owed").placements.size() == (hours == 2h ? 1 : 0));
  CHECK(made.kept.has_value() == (hours == 1h));
  if (hours == 1h) CHECK(made.kept->since == start);
}

TEST_CASE("a plan for some nodes reserves what is kept, and keeps nothing by itself") {
  auto world = two_tenants();
  const auto made = world.plan();
  give_back(world, made);
  const std::vector<NodeName> asked{NodeName("n1")};
  world.input.only = asked;
  const auto one = world.plan();
  CHECK(outcome(one, "next").placements.empty());
  CHECK(outcome(one, "next").reason == Reason::room_kept);
  CHECK_FALSE(one.kept);
  Planner planner(world.options);
  CHECK(planner.verdicts(world.make_input(), Uid("uid-next")) == std::vector{Reason::room_kept});
  world.input.kept.reset();
  CHECK(placed(world.plan())["next"] == "n1");
}

TEST_CASE("room kept for a job that is gone is nobody's") {
  auto world = two_tenants();
  auto made = world.plan();
  made.kept->job = Uid("uid-gone");
  world.job("g").queued = start;
  give_back(world, made);
  CHECK(placed(world.plan())["next"] == "n1");
}

}  // namespace
}  // namespace dray::planner::room_keeper_test
