#include <catch2/catch.hpp>

#include "tests/unit/engine/benches.h"

// Asking for plans and taking them: reservations, evictions, and what moved meanwhile. Plans are
// made by hand.

namespace dray::engine::planning_test {
namespace {

using namespace std::chrono_literals;

planner::JobOutcome placed(const std::string& pod, const std::string& node) {
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-" + pod);
  outcome.pods = {Uid("uid-" + pod)};
  outcome.placements = {place(pod, node)};
  return outcome;
}

planner::Plan plan_of(std::vector<planner::JobOutcome> jobs) {
  planner::Plan plan;
  plan.jobs = std::move(jobs);
  return plan;
}

/// Two nodes with two GPUs each, and the gated pod p; its plan is awaited.
struct OnePod : Bench {
  OnePod() : Bench({}, true) {
    add_nodes(2, 2);
    tell(claim_of("p"));
    tell(make_pod("p", "c-p"));
  }
  /// The device that the placement of the pod names.
  std::string device(const std::string& pod = "p") {
    const auto view = engine.pod({"default", pod});
    if (!view || !view->placement) return "none";
    const auto& device = view->placement->claims.at(0).allocation.devices.at(0).device;
    return view->placement->node.get() + "/" + device.device.get();
  }
  /// Another pod has that device of n0 by now.
  void take_device(const std::string& device = "gpu-0") {
    const auto other = "other-" + device;
    auto claim = claim_of(other);
    claim.allocation = place(other, "n0").claims[0].allocation;
    claim.allocation->devices[0].device.device = DeviceName(device);
    claim.reserved_for = {
        {.api_group = "", .resource = "pods", .name = other, .uid = Uid("uid-" + other)}};
    tell(claim);
    tell(running(other, "n0"));
  }
};

TEST_CASE("a placement is reserved, and the gate goes") {
  OnePod bench;
  bench.planned(plan_of({placed("p", "n0")}));
  CHECK(bench.device() == "n0/gpu-0");
  CHECK(bench.take_write<LiftGate>());
}

TEST_CASE("devices that were taken since the plan was made are chosen anew on its node") {
  OnePod bench;
  bench.take_device();
  bench.planned(plan_of({placed("p", "n0")}));
  CHECK(bench.device() == "n0/gpu-1");
}

TEST_CASE("where the planned node has no room any more, a new plan is asked for") {
  OnePod bench;
  bench.take_device("gpu-0");
  bench.take_device("gpu-1");
  const auto wanted = bench.wanted.size();
  bench.planned(plan_of({placed("p", "n0")}));
  CHECK(bench.device() == "none");
  CHECK(bench.wanted.size() == wanted + 1);
}

TEST_CASE("a plan for a pod that does not wait any more is not taken") {
  OnePod bench;
  bench.planned(plan_of({placed("p", "n0")}));
  bench.tell(claim_of("q"));
  bench.tell(make_pod("q", "c-q"));
  bench.planned(plan_of({placed("p", "n1")}));
  CHECK(bench.device() == "n0/gpu-0");
}

TEST_CASE("why a pod waits is told once the plan says so") {
  OnePod bench;
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-p");
  outcome.pods = {Uid("uid-p")};
  outcome.reason = Reason::queue_limit;
  outcome.detail = "4 of 4";
  bench.planned(plan_of({outcome}));
  const auto told = bench.take_write<SetPodCondition>();
  REQUIRE(told);
  CHECK(told->second.condition.reason == "QueueLimit");
  const auto view = bench.engine.pod({"default", "p"});
  CHECK(view->reason == Reason::queue_limit);
  CHECK(view->detail == "4 of 4");
}

TEST_CASE("a claim that is missing is told only after a while") {
  OnePod bench;
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-p");
  outcome.pods = {Uid("uid-p")};
  outcome.reason = Reason::claim_missing;
  bench.planned(plan_of({outcome}));
  CHECK_FALSE(bench.take_write<SetPodCondition>());
  bench.wait();
  CHECK(bench.take_write<SetPodCondition>());
}

TEST_CASE("a pod whose group is not there is told so after a while") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  bench.tell(member("a"));
  CHECK_FALSE(bench.take_write<SetPodCondition>());
  bench.wait();
  const auto told = bench.take_write<SetPodCondition>();
  REQUIRE(told);
  CHECK(told->second.condition.reason == "GangIncomplete");
}

TEST_CASE("nothing is planned before the watches are in, without leadership, or for nobody") {
  Options options;
  options.plan_inline = false;
  Engine engine(options);
  const auto plans = [&](const Event& event) {
    const auto effects = engine.apply(event, start);
    return std::ranges::count_if(
        effects, [](const auto& effect) { return std::holds_alternative<WantPlan>(effect); });
  };
  CHECK(plans(cluster::ObjectChanged{make_node("n0")}) == 0);
  CHECK(plans(cluster::ObjectChanged{make_pod("p", "c")}) == 0);
  SECTION("leadership first") {
    CHECK(plans(LeadershipChanged{true, 1}) == 0);
    CHECK(plans(Synced{}) == 1);
  }
  SECTION("the watches first") {
    CHECK(plans(Synced{}) == 0);
    CHECK(plans(LeadershipChanged{true, 1}) == 1);
  }
  SECTION("nobody waits") {
    CHECK(plans(cluster::ObjectGone{Kind::pod, "default", "p", Uid("uid-p")}) == 0);
    CHECK(plans(Synced{}) == 0);
    CHECK(plans(LeadershipChanged{true, 1}) == 0);
  }
  CHECK(engine.status().plans_made == (engine.status().pods_waiting == 1 ? 1 : 0));
}

TEST_CASE("a plan that its budget ended is followed by the next") {
  OnePod bench;
  auto plan = plan_of({});
  plan.exhausted = true;
  const auto wanted = bench.wanted.size();
  bench.planned(plan);
  CHECK(bench.wanted.size() == wanted);
  CHECK(bench.engine.next_tick() == start + 1s);
}

TEST_CASE("a plan made under an earlier leadership is not taken") {
  OnePod bench;
  const auto generation = bench.wanted.back().generation;
  bench.apply(LeadershipChanged{false, 3});
  bench.apply(LeadershipChanged{true, 4});
  bench.apply(Planned{generation, plan_of({placed("p", "n0")})});
  CHECK(bench.device() == "none");
  bench.planned(plan_of({placed("p", "n0")}));
  CHECK(bench.device() == "n0/gpu-0");
}

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

TEST_CASE("a victim that is not what the plan saw spoils its set") {
  struct Row {
    std::string name;
    void (*change)(Bench&);
  };
  const auto row =
      GENERATE(Row{"gone",
                   [](Bench& bench) {
                     bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
                   }},
               Row{"being deleted",
                   [](Bench& bench) {
                     auto pod = running("old", "n0");
                     pod.meta.deleted = start;
                     bench.tell(pod);
                   }},
               Row{"finished",
                   [](Bench& bench) {
                     auto pod = running("old", "n0");
                     pod.phase = "Succeeded";
                     bench.tell(pod);
                   }},
               Row{"its beneficiary is gone", [](Bench& bench) {
                     bench.apply(cluster::ObjectGone{Kind::pod, "default", "new", Uid("uid-new")});
                   }});
  DYNAMIC_SECTION(row.name) {
    Bench bench({}, true);
    bench.add_nodes(1, 1);
    bench.tell(running("old", "n0"));
    bench.tell(claim_of("new"));
    bench.tell(make_pod("new", "c-new"));
    bench.tell(claim_of("third"));
    bench.tell(make_pod("third", "c-third"));
    bench.planned({});
    row.change(bench);
    bench.planned(EvictionBench::evict());
    CHECK_FALSE(bench.take_write<EvictPod>());
  }
}

TEST_CASE("a pod that is being evicted is not asked for twice") {
  EvictionBench bench;
  REQUIRE(bench.take_write<EvictPod>());
  bench.tell(make_node("n7"));
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
  CHECK(bench.engine.next_tick() == start + 100ms);
}

TEST_CASE("a pod that is being bound is not evicted") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  const auto old = make_pod("old", "", false);
  bench.tell(claim_of("new"));
  bench.tell(make_pod("new", "c-new"));
  auto victim = make_pod("old", "c-old", false);
  bench.tell(claim_of("old"));
  bench.tell(victim);
  bench.planned({});
  planner::Plan plan;
  plan.jobs.push_back(placed("old", "n0"));
  bench.planned(plan);
  bench.bind(victim, "n0", 1);
  bench.tell(make_node("n7"));
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
  CHECK(bench.engine.status().binds_in_flight == 1);
  static_cast<void>(old);
}

TEST_CASE("a reservation is taken back without a word to the API server") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  bench.tell(claim_of("new"));
  bench.tell(make_pod("new", "c-new"));
  bench.tell(claim_of("old"));
  bench.tell(make_pod("old", "c-old"));
  bench.planned({});
  bench.planned(plan_of({placed("old", "n0")}));
  REQUIRE(bench.engine.pod({"default", "old"})->placement);
  bench.tell(make_node("n7"));
  bench.planned(EvictionBench::evict());
  CHECK_FALSE(bench.take_write<EvictPod>());
  CHECK_FALSE(bench.engine.pod({"default", "old"})->placement);
  CHECK(bench.engine.status().evictions == 0);
}

TEST_CASE("victims of one beneficiary are one set, those of another another") {
  Bench bench({}, true);
  bench.add_nodes(1, 2);
  for (const auto* name : {"old", "older", "stale"}) bench.tell(running(name, "n0"));
  for (const auto* name : {"new", "newer"}) {
    bench.tell(claim_of(name));
    bench.tell(make_pod(name, "c-" + std::string(name)));
  }
  const auto evict = [](const std::string& victim, std::optional<Uid> beneficiary) {
    auto eviction = EvictionBench::evict().evictions[0];
    eviction.job = Uid("uid-" + victim);
    eviction.pods = {eviction.job};
    eviction.beneficiary = std::move(beneficiary);
    return eviction;
  };
  planner::Plan plan;
  plan.evictions = {evict("old", Uid("uid-new")), evict("stale", std::nullopt),
                    evict("older", Uid("uid-newer"))};
  bench.planned({});
  bench.planned(plan);
  std::map<std::string, WriteId> asked;
  while (const auto write = bench.take_write<EvictPod>()) {
    asked.emplace(write->second.pod.name, write->first);
  }
  REQUIRE(asked.size() == 3);
  // Each goes on without the others.
  bench.done(asked.at("stale"));
  const auto first = bench.take_write<EvictPod>();
  REQUIRE(first);
  CHECK(first->second.pod.name == "stale");
  CHECK_FALSE(bench.take_write<EvictPod>());
}

TEST_CASE("a job that is moved gets the room that is meant for it when its pods are made anew") {
  EvictionBench bench;
  auto plan = EvictionBench::evict();
  bench.done(bench.take_write<EvictPod>()->first, fail(ErrorCode::denied, "429"));
  plan.evictions[0].beneficiary.reset();
  plan.evictions[0].moved = {place("old", "n0")};
  bench.now += 61s;
  bench.planned(plan);
  bench.done(bench.take_write<EvictPod>()->first);
  bench.done(bench.take_write<EvictPod>()->first);
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
  auto anew = make_pod("old", "c-old");
  anew.meta.uid = Uid("uid-old-2");
  bench.tell(anew);
  bench.planned({});
  const auto& holds = bench.input().holds;
  CHECK(std::ranges::any_of(holds, [](const planner::Hold& hold) {
    return hold.job == Uid("uid-old-2") && hold.placements.size() == 1;
  }));
  // It was only moved: whoever it made room for does not owe it anything.
  const auto job = std::ranges::find(bench.input().jobs, Uid("uid-old-2"), &planner::Job::uid);
  REQUIRE(job != bench.input().jobs.end());
  CHECK((*job)->evicted);
  CHECK((*job)->evicted_for.empty());
}

TEST_CASE("who had to make room does not take it back from the one that it was for") {
  EvictionBench bench;
  bench.done(bench.take_write<EvictPod>()->first);
  bench.done(bench.take_write<EvictPod>()->first);
  bench.planned({});
  const auto& jobs = bench.input().jobs;
  const auto old = std::ranges::find(jobs, Uid("uid-old"), &planner::Job::uid);
  REQUIRE(old != jobs.end());
  REQUIRE((*old)->evicted_for.size() == 1);
  CHECK((*old)->evicted_for[0].beneficiary == "default/new");
}

}  // namespace
}  // namespace dray::engine::planning_test
