#include <catch2/catch.hpp>

#include "engine/protocol/binding.h"
#include "tests/unit/engine/fixture.h"

// Gangs and evictions through the engine, with plans made by hand.

namespace dray::engine::engine_gang_test {
namespace {

using namespace std::chrono_literals;

PodGroup make_group(std::int32_t minimum) {
  PodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  group.meta.uid = Uid("uid-g");
  group.min_count = minimum;
  return group;
}

Pod member(const std::string& name) {
  auto pod = make_pod(name, "c-" + name);
  pod.pod_group = "g";
  return pod;
}

ResourceClaim claim_of(const std::string& pod, const std::string& version = "10") {
  auto claim = make_claim("c-" + pod, 1);
  claim.meta.finalizers = {claim_finalizer};
  claim.meta.annotations[epoch_annotation] = "3";
  claim.meta.resource_version = ResourceVersion(version);
  return claim;
}

Placement place(const std::string& pod, const std::string& node) {
  AllocationResult allocation;
  allocation.devices.push_back(
      {.request = "gpu",
       .device = {DriverName("gpu.example.com"), PoolName(node), DeviceName("gpu-0")},
       .admin_access = {},
       .tolerations = {},
       .binding_conditions = {},
       .binding_failure_conditions = {},
       .share_id = {},
       .consumed_capacity = {},
       .skip_node_operations = {}});
  Placement placement;
  placement.pod = {"default", pod};
  placement.pod_uid = Uid("uid-" + pod);
  placement.node = NodeName(node);
  ClaimPlacement claim;
  claim.claim = {"default", "c-" + pod};
  claim.claim_uid = Uid("uid-c-" + pod);
  claim.allocation = std::move(allocation);
  placement.claims.push_back(std::move(claim));
  return placement;
}

/// Two nodes with a GPU each and a gang of two, offered to kube-scheduler.
struct GangBench : Bench {
  GangBench() : Bench({}, true) {
    add_nodes(2, 1);
    tell(make_group(2));
    for (const auto* name : {"a", "b"}) {
      tell(claim_of(name));
      tell(member(name));
    }
    planner::Plan plan;
    planner::JobOutcome outcome;
    outcome.job = Uid("uid-g");
    outcome.pods = {Uid("uid-a"), Uid("uid-b")};
    outcome.placements = {place("a", "n0"), place("b", "n1")};
    plan.jobs.push_back(std::move(outcome));
    // Whatever was wanted before the last pod came is answered first.
    planned({});
    planned(std::move(plan));
  }

  void offer_all() {
    lift(member("a"));
    lift(member("b"));
    static_cast<void>(filter(lifted("a"), {"n0", "n1"}));
    static_cast<void>(filter(lifted("b"), {"n0", "n1"}));
  }
  static Pod lifted(const std::string& name) {
    auto pod = member(name);
    pod.scheduling_gates.clear();
    return pod;
  }
  /// The oldest AllocateClaim is carried out.
  void allocate() {
    const auto write = take_write<AllocateClaim>();
    REQUIRE(write);
    auto claim = claim_of(write->second.claim.name.substr(2), "11");
    claim.allocation = write->second.allocation;
    claim.reserved_for = write->second.reserved_for;
    done(write->first, claim);
  }
};

TEST_CASE("a gang is one job in the plan, and its gates go together") {
  GangBench bench;
  const auto& input = *bench.wanted.back().input;
  REQUIRE(input.jobs.size() == 1);
  CHECK(input.jobs[0]->members.size() == 2);
  CHECK(bench.engine.status().reservations == 2);
  CHECK(bench.take_write<LiftGate>());
  CHECK(bench.take_write<LiftGate>());
}

TEST_CASE("no member is bound before all have their claims") {
  GangBench bench;
  bench.offer_all();
  bench.bind(GangBench::lifted("a"), "n0", 1);
  CHECK(bench.writes.empty());
  CHECK(bench.engine.status().gangs_binding == 1);
  bench.bind(GangBench::lifted("a"), "n0", 2);  // asked again: joins the first
  bench.bind(GangBench::lifted("b"), "n1", 3);
  bench.allocate();
  CHECK(!bench.take_write<BindPod>());
  bench.allocate();
  const auto first = bench.take_write<BindPod>();
  const auto second = bench.take_write<BindPod>();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(bench.answers.empty());
  bench.done(first->first);
  bench.done(second->first);
  REQUIRE(bench.answers.size() == 3);
  for (const auto& answer : bench.answers) CHECK(answer.error.empty());
  CHECK(bench.engine.status().gangs_binding == 0);
  CHECK(bench.engine.status().binds_done == 2);
}

TEST_CASE("a gang whose others do not come is told so, and keeps its room") {
  GangBench bench;
  bench.offer_all();
  bench.bind(GangBench::lifted("a"), "n0", 1);
  bench.now += 5s + 100ms;
  bench.tick();
  REQUIRE(bench.answers.size() == 1);
  CHECK(!bench.answers[0].error.empty());
  CHECK(bench.writes.empty());
  CHECK(bench.engine.status().reservations == 2);
  CHECK(bench.engine.status().gangs_refused == 1);
  // The next attempt begins anew.
  bench.bind(GangBench::lifted("a"), "n0", 2);
  bench.bind(GangBench::lifted("b"), "n1", 3);
  CHECK(bench.take_write<AllocateClaim>());
  CHECK(bench.take_write<AllocateClaim>());
}

TEST_CASE("a claim that fails undoes the others', and all are told") {
  GangBench bench;
  bench.offer_all();
  bench.bind(GangBench::lifted("a"), "n0", 1);
  bench.bind(GangBench::lifted("b"), "n1", 2);
  bench.allocate();
  const auto failing = bench.take_write<AllocateClaim>();
  REQUIRE(failing);
  bench.done(failing->first, fail(ErrorCode::invalid, "422"));
  while (const auto release = bench.take_write<ReleaseClaim>()) bench.done(release->first);
  CHECK(bench.answers.size() == 2);
  for (const auto& answer : bench.answers) CHECK(answer.error.find("422") != std::string::npos);
  CHECK(!bench.take_write<BindPod>());
  CHECK(bench.engine.status().reservations == 2);
  CHECK(bench.engine.status().gangs_binding == 0);
}

TEST_CASE("a member that goes while the others gather leaves them waiting, not hanging") {
  GangBench bench;
  bench.offer_all();
  bench.bind(GangBench::lifted("a"), "n0", 1);
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "a", Uid("uid-a")});
  REQUIRE(bench.answers.size() == 1);
  CHECK(!bench.answers[0].error.empty());
  CHECK(bench.engine.status().gangs_binding == 0);
}

TEST_CASE("a node that kube-scheduler does not take costs the gang all its places") {
  GangBench bench;
  bench.lift(member("a"));
  bench.lift(member("b"));
  const auto response = bench.filter(GangBench::lifted("a"), {"n1"});
  CHECK(response.node_names.empty());
  CHECK(bench.engine.status().reservations == 0);
}

Pod running(const std::string& name, const std::string& node) {
  auto pod = make_pod(name, "", false);
  pod.node_name = NodeName(node);
  pod.phase = "Running";
  pod.resource_claims.push_back({.name = "gpus", .claim_name = "c-" + name, .template_name = {}});
  return pod;
}

/// A running pod and one that waits for its room.
struct EvictionBench : Bench {
  EvictionBench() : Bench({}, true) {
    add_nodes(1, 1);
    auto held = claim_of("old");
    held.allocation = place("old", "n0").claims[0].allocation;
    tell(held);
    tell(running("old", "n0"));
    tell(claim_of("new"));
    tell(make_pod("new", "c-new"));
    planned(evict());
  }
  static planner::Plan evict() {
    planner::Plan plan;
    planner::JobOutcome outcome;
    outcome.job = Uid("uid-new");
    outcome.pods = {Uid("uid-new")};
    outcome.held = {place("new", "n0")};
    outcome.reason = Reason::room_freed;
    plan.jobs.push_back(std::move(outcome));
    planner::Eviction eviction;
    eviction.job = Uid("uid-old");
    eviction.pods = {Uid("uid-old")};
    eviction.beneficiary = Uid("uid-new");
    eviction.detail = "old makes room for new";
    plan.evictions.push_back(std::move(eviction));
    return plan;
  }
  const planner::PlanInput& input() const { return *wanted.back().input; }
};

TEST_CASE("victims are asked for first; then they go, and their room is held") {
  EvictionBench bench;
  const auto asked = bench.take_write<EvictPod>();
  REQUIRE(asked);
  CHECK(asked->second.dry_run);
  CHECK(!bench.take_write<EvictPod>());
  bench.done(asked->first);
  const auto evicted = bench.take_write<EvictPod>();
  REQUIRE(evicted);
  CHECK(!evicted->second.dry_run);
  bench.done(evicted->first);
  CHECK(bench.engine.status().evictions == 1);
  const auto event = bench.take_write<RecordEvent>();
  REQUIRE(event);
  CHECK(event->second.event.reason == "Reclaim");
  CHECK(event->second.event.note == "dray: old makes room for new");
  bench.planned({});
  const auto& input = bench.input();
  REQUIRE(input.holds.size() == 1);
  CHECK(input.holds[0].job == Uid("uid-new"));
  const auto old = std::ranges::find(input.jobs, Uid("uid-old"), &planner::Job::uid);
  REQUIRE(old != input.jobs.end());
  CHECK((*old)->members[0].state == planner::MemberState::leaving);
  CHECK((*old)->evicted == bench.now);
}

TEST_CASE("why a pod was evicted is told although it is gone already") {
  EvictionBench bench;
  bench.done(bench.take_write<EvictPod>().value().first);
  const auto evicted = bench.take_write<EvictPod>();
  REQUIRE(evicted);
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
  bench.done(evicted->first);
  const auto event = bench.take_write<RecordEvent>();
  REQUIRE(event);
  CHECK(event->second.pod == PodKey{"default", "old"});
  CHECK(event->second.uid == Uid("uid-old"));
  CHECK(event->second.event.note == "dray: old makes room for new");
}

TEST_CASE("a disruption budget in the way keeps the victim, and is not asked again at once") {
  EvictionBench bench;
  const auto asked = bench.take_write<EvictPod>();
  REQUIRE(asked);
  bench.done(asked->first, fail(ErrorCode::denied, "429"));
  CHECK(!bench.take_write<EvictPod>());
  CHECK(bench.engine.status().evictions_refused == 1);
  bench.planned({});
  const auto& input = bench.input();
  CHECK(input.holds.empty());
  REQUIRE(input.disruption_budgets.size() == 1);
  CHECK(input.disruption_budgets[0].pods == std::vector{Uid("uid-old")});
  CHECK(input.disruption_budgets[0].allowed == 0);
  const auto old = std::ranges::find(input.jobs, Uid("uid-old"), &planner::Job::uid);
  REQUIRE(old != input.jobs.end());
  CHECK((*old)->members[0].state == planner::MemberState::placed);
}

TEST_CASE("the policy of the file is the plan's") {
  Bench bench({}, true);
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("research");
  config.queues.push_back(queue);
  config.pod_queues.otherwise = policy::QueueName("research");
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  bench.tell(make_pod("p", "c"));
  REQUIRE(!bench.wanted.empty());
  const auto& input = *bench.wanted.back().input;
  CHECK(input.policy->queues.find("research"));
  REQUIRE(input.jobs.size() == 1);
  CHECK(input.jobs[0]->queue == policy::QueueName("research"));
  CHECK(bench.engine.pod({"default", "p"})->queue == "research");
}

}  // namespace
}  // namespace dray::engine::engine_gang_test
