#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/planner/explained.h"

namespace dray::planner::help_of_others_test {

using namespace worlds;
namespace {

/// Runs on n0 with its first device, in the namespace `others`.
void another_tenants(World& world, const std::string& name, const std::string& queue) {
  auto claim = allocated_claim("c-" + name, "n0");
  claim.meta.namespace_name = "others";
  claim.reserved_for = {testing::consumer(name, Uid("uid-" + name))};
  world.tell(claim);
  world.running(name, "n0", 0, 0, queue, [&name](Pod& pod) {
    pod.meta.namespace_name = "others";
    pod = testing::with_claim(std::move(pod), "c-" + name);
  });
}

TEST_CASE("who starts before it is in its way as those are who run") {
  World world;
  world.node("n0", 1);
  world.waiting("first", 1, "a");
  world.waiting("second", 1, "a");
  const auto made = explained(world, "second");
  CHECK(made.nearest ==
        "n0: it would fit there if default/first ended, which has 1 device (gpu-0)");
  CHECK(made.helps == Names{"it starts once one of these has ended: default/first"});
}

TEST_CASE("of many jobs those on the nearest node are tried") {
  World world;
  for (int i = 0; i < 8; ++i) {
    const auto node = "n" + std::to_string(i);
    world.node(node, 4);
    world.fill("r" + std::to_string(i), i == 7 ? 3 : 4, node, "a");
  }
  world.waiting("p", 2, "a");
  const auto made = explained(world, "p");
  CHECK(made.nearest == "n7: it would fit there if default/r70 ended, which has 1 device (gpu-0)");
  CHECK(made.helps.front() ==
        "it starts once one of these has ended: default/r70, default/r71, default/r72");
  world.waiting("q", 4, "a");
  // The job ahead of it gets the first room.
  const auto whole = explained(world, "q");
  CHECK(whole.nearest ==
        "n7: it would fit there if all of default/r70, default/r71, default/r72 and 2 more ended, "
        "3 of "
        "which have 3 devices there (gpu-0, gpu-1, gpu-2)");
  CHECK(whole.helps.front() ==
        "it starts once these 5 jobs have all ended: default/r70, default/r71, default/r72 and 2 "
        "more");
}

TEST_CASE("where more jobs have to end than are tried, it says how many were") {
  World world;
  world.node("n0", 32);
  world.fill("r", 32, "n0", "a");
  world.waiting("p", 30, "a");
  const auto made = explained(world, "p");
  CHECK(made.nearest.empty());
  CHECK(says(made.helps,
             "several jobs have to end: the first 24 of the 32 that have room are not enough"));
}

TEST_CASE(
    "of several jobs that have to end those of others are counted, and so are their devices") {
  World world;
  world.node("n0", 2);
  world.queue("a", 1);
  world.queue("b", 1);
  another_tenants(world, "theirs", "b");
  world.running("mine", "n0", 1, 1, "a");
  world.waiting("p", 2, "a");
  const auto made = explained(world, "p");
  CHECK(
      made.nearest ==
      "n0: it would fit there if all of default/mine, and 1 job of other tenants ended, which have "
      "2 devices there (gpu-1, gpu-0)");
}

TEST_CASE("several have to end, or those ahead of it have to come first") {
  World world;
  world.node("n0", 4);
  world.fill("r", 4, "n0", "a");
  world.waiting("two", 2, "a");
  CHECK(explained(world, "two").helps.front() ==
        "it starts once these 2 jobs have all ended: default/r0, default/r1");
  CHECK(explained(world, "two").nearest ==
        "n0: it would fit there if all of default/r0, default/r1 ended, which have 2 devices there "
        "(gpu-0, gpu-1)");
  world.waiting("uthree", 3, "a");
  const auto made = explained(world, "uthree");
  CHECK(made.queue->ahead == Names{"default/two"});
  CHECK(made.helps.front().starts_with("jobs ahead of it need the room, too"));
}

TEST_CASE("names of another tenant are not told") {
  World world;
  world.node("n0", 1);
  world.queue("a", 0);
  world.queue("b", 1);
  another_tenants(world, "secret", "a");
  world.waiting("p", 1, "b");
  auto made = explained(world, "p");
  CHECK_FALSE(made.nearest.contains("secret"));
  CHECK(made.nearest.contains("if a job of another tenant ended"));
  CHECK_FALSE(says(made.helps, "secret"));
  CHECK(says(made.helps, "it starts once one of these has ended: 1 job of other tenants"));
  CHECK(says(made.helps,
             "reclaim is off in the policy; with it on 1 job of other tenants would be evicted"));
  world.config.reclaim.enabled = true;
  made = explained(world, "p");
  CHECK(made.standing == Standing::follows);
  CHECK(made.summary == "gets its place on n0 once 1 job of other tenants has gone");
}

TEST_CASE("why nobody is evicted: priority, minimum run time, preemptionPolicy, budget, share") {
  World world;
  world.node("n0", 1);
  world.queue("a", 1);
  world.queue("b", 0);
  world.config.preemption.enabled = true;
  auto& runs = world.running("r", "n0", 0, 1, "a");
  runs.priority = 5;
  runs.started = start;
  auto& waits = world.waiting("p", 1, "a");
  waits.priority = 5;
  CHECK(says(explained(world, "p").helps,
             "nobody of its queue has a lower priority than its 5; give it more than 5: it would "
             "evict default/r"));
  waits.priority = 6;
  CHECK(explained(world, "p").summary == "gets its place on n0 once default/r has gone");
  waits.may_evict = false;
  CHECK(says(explained(world, "p").helps, "its preemptionPolicy Never keeps it"));
  waits.may_evict = true;
  world.input.disruption_budgets = {
      {.name = "default/budget", .pods = {runs.members[0].pod->meta.uid}, .allowed = 0}};
  CHECK(
      says(explained(world, "p").helps, "a PodDisruptionBudget keeps those who could be evicted"));
  world.input.disruption_budgets.clear();
  world.config.preemption.min_runtime = std::chrono::hours(1);
  CHECK(says(explained(world, "p").helps, "have not run for their minimum run time yet"));
  world.config.preemption.min_runtime = Duration{0};
  world.config.reclaim.enabled = true;
  world.waiting("q", 1, "b");
  const auto made = explained(world, "q");
  CHECK(made.reason == Reason::over_fair_share);
  CHECK(made.summary.starts_with("no room is free, and queue b may take none from others"));
}

}  // namespace
}  // namespace dray::planner::help_of_others_test
