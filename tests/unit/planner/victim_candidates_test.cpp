#include "planner/evict/victim_candidates.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::victim_candidates_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

std::string names(Parts& parts, VictimCandidates& candidates) {
  std::string all;
  for (const auto& jobs : candidates.by_queue(parts.order())) {
    for (const auto* job : jobs) all += job->job->uid.get().substr(4) + " ";
  }
  return all;
}

TEST_CASE("victims run and are preemptible; those served last come first") {
  World world;
  world.node("n0", 8);
  world.running("a", "n0", 0, 1, "a");
  world.running("b", "n0", 1, 1, "a");
  world.running("fixed", "n0", 2, 1, "a").preemptible = false;
  world.running("lost", "n0", 3, 1, "nowhere");
  world.running("goes", "n0", 4, 1, "a").members[0].state = MemberState::leaving;
  world.waiting("waits", 1, "a");
  Parts parts(world);
  VictimCandidates candidates(parts.context, parts.memory.jobs());
  CHECK(names(parts, candidates) == "b a ");
  CHECK_FALSE(candidates.again_at());
}

TEST_CASE("who was a victim lately is none until its cool-down ends") {
  World world;
  world.config.budgets.victim_cooldown = 10min;
  world.node("n0", 8);
  world.running("early", "n0", 0, 1, "a").evicted = start - 10min;
  world.running("late", "n0", 1, 1, "a").evicted = start - 9min;
  Parts parts(world);
  VictimCandidates candidates(parts.context, parts.memory.jobs());
  CHECK(names(parts, candidates) == "early ");
  CHECK(candidates.again_at() == start + 1min);
}

TEST_CASE("jobs are collected anew when they changed") {
  World world;
  world.node("n0", 8);
  world.running("a", "n0", 0, 1, "a");
  world.running("b", "n0", 1, 1, "a");
  Parts parts(world);
  VictimCandidates candidates(parts.context, parts.memory.jobs());
  CHECK(names(parts, candidates) == "b a ");
  parts.job("a").set_state(parts.task("a"), policy::TaskState::yielding);
  CHECK(names(parts, candidates) == "b a ");
  candidates.changed();
  CHECK(names(parts, candidates) == "b ");
}

TEST_CASE("whom a job was evicted for is protected from it, and whom that one was") {
  World world;
  world.node("n0", 8);
  world.waiting("a", 1, "a").evicted_for = {{"default/b", start + 1h}, {"default/x", start}};
  world.running("b", "n0", 0, 1, "a").evicted_for = {{"default/c", start + 2h}};
  world.running("c", "n0", 1, 1, "a").evicted_for = {{"default/a", start + 3h}};
  world.running("d", "n0", 2, 1, "a").evicted_for = {{"default/e", start + 1min}};
  Parts parts(world);
  VictimCandidates candidates(parts.context, parts.memory.jobs());
  CHECK(candidates.protected_beneficiaries(parts.job("a")) ==
        std::set<std::string_view>{"default/a", "default/b", "default/c"});
  CHECK(candidates.again_at() == start + 1h);
}

TEST_CASE("of a workload with several jobs all that were evicted count") {
  World world;
  world.node("n0", 8);
  world.waiting("a", 1, "a").evicted_for = {{"default/workload", start + 1h}};
  for (const auto* name : {"b", "c"}) {
    auto& job = world.running(name, "n0", *name - 'b', 1, "a");
    job.lineage = "default/workload";
    job.evicted_for = {{std::string("default/for-") + name, start + 2h}};
  }
  Parts parts(world);
  VictimCandidates candidates(parts.context, parts.memory.jobs());
  CHECK(candidates.protected_beneficiaries(parts.job("a")) ==
        std::set<std::string_view>{"default/for-b", "default/for-c", "default/workload"});
}

TEST_CASE("who was evicted for nobody may evict anybody") {
  World world;
  world.node("n0", 8);
  world.waiting("a", 1, "a");
  world.running("b", "n0", 0, 1, "a").evicted_for = {{"default/a", start + 2h}};
  Parts parts(world);
  VictimCandidates candidates(parts.context, parts.memory.jobs());
  CHECK(candidates.protected_beneficiaries(parts.job("a")).empty());
}

}  // namespace
}  // namespace dray::planner::victim_candidates_test
