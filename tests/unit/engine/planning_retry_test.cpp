#include <catch2/catch.hpp>

#include "tests/unit/engine/benches.h"

// Plans that cannot be taken as they are.

namespace dray::engine::planning_retry_test {
namespace {

using namespace std::chrono_literals;

planner::Plan place_p() {
  planner::Plan plan;
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-p");
  outcome.pods = {Uid("uid-p")};
  outcome.placements = {place("p", "n0")};
  plan.jobs.push_back(std::move(outcome));
  return plan;
}

TEST_CASE("a plan that cannot be taken is made again soon, whatever time the plan itself names") {
  Bench bench({}, true);
  bench.add_nodes(1, 2);
  bench.tell(claim_of("p"));
  bench.tell(make_pod("p", "c-p"));
  bench.planned(place_p());
  REQUIRE(bench.engine.status().reservations == 1);
  bench.tell(claim_of("q"));
  bench.tell(make_pod("q", "c-q"));
  auto stale = place_p();  // p has its place already
  stale.again_at = bench.now + 1h;
  bench.planned(std::move(stale));
  REQUIRE(bench.engine.next_tick());
  CHECK(*bench.engine.next_tick() <= bench.now + 100ms);
}

TEST_CASE("a pod that was bound a moment ago keeps its devices, though a plan wants them") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  bench.tell(claim_of("new"));
  bench.tell(make_pod("new", "c-new"));
  bench.tell(claim_of("old"));
  const auto victim = make_pod("old", "c-old", false);
  bench.tell(victim);
  bench.planned({});
  planner::Plan plan;
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-old");
  outcome.pods = {Uid("uid-old")};
  outcome.placements = {place("old", "n0")};
  plan.jobs.push_back(std::move(outcome));
  bench.planned(plan);
  bench.bind(victim, "n0", 1);
  const auto allocate = bench.take_write<AllocateClaim>();
  REQUIRE(allocate);
  auto claim = claim_of("old", "11");
  claim.allocation = allocate->second.allocation;
  claim.reserved_for = allocate->second.reserved_for;
  bench.done(allocate->first, claim);
  const auto bound = bench.take_write<BindPod>();
  REQUIRE(bound);
  bench.done(bound->first);
  // The watch has shown neither the binding nor the allocation.
  bench.tell(make_node("n7"));
  bench.planned(EvictionBench::evict());
  REQUIRE(bench.engine.pod({"default", "old"}));
  CHECK(bench.engine.pod({"default", "old"})->placement);
  CHECK(bench.engine.status().devices_allocated == 1);
  CHECK(bench.engine.next_tick() == start + 100ms);
}

std::shared_ptr<const policy::PolicyConfig> one_queue(std::int64_t cpu) {
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("q");
  queue.limit["cpu"] = Quantity(cpu);
  config.queues.push_back(queue);
  config.pod_queues.otherwise = policy::QueueName("q");
  return std::make_shared<const policy::PolicyConfig>(config);
}

TEST_CASE("a plan that was made by another policy is not taken") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  bench.tell(claim_of("p"));
  bench.tell(make_pod("p", "c-p"));
  const auto plans = bench.wanted.size();
  bench.apply(PolicyChanged{one_queue(10)});
  bench.planned(place_p());
  CHECK(bench.engine.status().reservations == 0);
  CHECK(bench.wanted.size() == plans + 1);
}

TEST_CASE("evictions of a plan that was made by another policy do not happen") {
  EvictionBench bench;
  bench.writes.clear();
  bench.apply(LeadershipChanged{true, 4});
  REQUIRE_FALSE(bench.take_write<EvictPod>());
  bench.apply(PolicyChanged{one_queue(10)});
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
}

/// A pod without a gate that takes a CPU of the queue's one.
Pod of_queue(const std::string& name) {
  auto pod = make_pod(name, "", false);
  pod.containers.resize(1);
  pod.containers[0].requests["cpu"] = Quantity(1);
  return pod;
}

TEST_CASE(
    "a plan does not take a queue over its limit with what was placed on the spot meanwhile") {
  Bench bench({}, true);
  bench.add_nodes(2, 1);
  bench.apply(PolicyChanged{one_queue(1)});
  const auto p = of_queue("p");
  const auto q = of_queue("q");
  bench.tell(p);
  bench.planned({});
  bench.tell(q);
  REQUIRE_FALSE(bench.wanted.empty());
  bench.filter(q, {"n0"});
  REQUIRE(bench.engine.status().reservations == 1);
  planner::Plan plan;
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-p");
  outcome.pods = {Uid("uid-p")};
  outcome.placements = {
      {.pod = p.key(), .pod_uid = p.meta.uid, .node = NodeName("n1"), .claims = {}}};
  plan.jobs.push_back(outcome);
  bench.planned(std::move(plan));
  CHECK(bench.engine.status().reservations == 1);
}

TEST_CASE("nobody is evicted for a job that has its place by now") {
  EvictionBench bench;
  const auto asked = bench.take_write<EvictPod>();
  REQUIRE(asked);
  bench.done(asked->first, fail(ErrorCode::denied, "429"));
  bench.add_nodes(2, 1);
  auto pod = make_pod("new", "c-new", false);
  bench.tell(pod);
  bench.filter(pod, {"n1"});
  REQUIRE(bench.engine.status().reservations == 1);
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
}

}  // namespace
}  // namespace dray::engine::planning_retry_test
