#include <catch2/catch.hpp>

#include "engine/plan_cycle.h"
#include "tests/unit/engine/benches.h"

// Asking for plans and taking them: reservations, evictions, and what moved meanwhile. Plans are
// made by hand.

namespace dray::engine::planning_test {
namespace {

using namespace std::chrono_literals;

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

TEST_CASE("a pod is not placed on the spot while a plan is awaited that a pod above it waits for") {
  for (const std::int32_t priority : {0, 50, 100}) {
    Bench bench({}, true);
    bench.add_nodes(1, 1);
    bench.tell(claim_of("above"));
    auto above = make_pod("above", "c-above");
    above.priority = 50;
    bench.tell(above);  // its plan is under way, beside the strand
    bench.tell(claim_of("q"));
    auto pod = make_pod("q", "c-q", false);
    pod.priority = priority;
    bench.tell(pod);
    const bool placed_at_once = !bench.filter(pod, {"n0"}).node_names.empty();
    CHECK(placed_at_once == (priority >= above.priority));
    if (placed_at_once) continue;
    CHECK(bench.engine.pod(pod.key())->reason == Reason::planning);
    bench.planned(plan_of({placed("above", "n0")}));
    CHECK(bench.filter(pod, {"n0"}).node_names.empty());
    CHECK(bench.engine.pod({"default", "above"})->placement);
  }
}

TEST_CASE("of many jobs whose devices are to be chosen anew, most are left to the next plan") {
  Bench bench({}, true);
  bench.add_nodes(20, 1);
  std::vector<planner::JobOutcome> jobs;
  for (int i = 0; i < 20; ++i) {
    const auto name = "p" + std::to_string(i);
    bench.tell(claim_of(name));
    bench.tell(make_pod(name, "c-" + name));
    jobs.push_back(placed(name, "n" + std::to_string(i)));
  }
  bench.planned(plan_of({}));
  bench.tell(make_class());  // all allocations depend on it
  const auto wanted = bench.wanted.size();
  bench.planned(plan_of(jobs));
  CHECK(bench.engine.status().reservations == 8);
  CHECK(bench.wanted.size() == wanted + 1);
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

TEST_CASE("why a pod waits is told if it still waits after a while") {
  OnePod bench;
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-p");
  outcome.pods = {Uid("uid-p")};
  outcome.reason = Reason::queue_limit;
  outcome.detail = "4 of 4";
  bench.planned(plan_of({outcome}));
  CHECK_FALSE(bench.take_write<SetPodCondition>());
  bench.wait();
  const auto told = bench.take_write<SetPodCondition>();
  REQUIRE(told);
  CHECK(told->second.condition.reason == "QueueLimit");
  const auto view = bench.engine.pod({"default", "p"});
  CHECK(view->reason == Reason::queue_limit);
  CHECK(view->detail == "4 of 4");
}

TEST_CASE("why many pods wait is taken in by many steps, after what some of them get") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  constexpr std::size_t count = 200;
  planner::Plan plan = plan_of({placed("p0", "n0")});
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = "p" + std::to_string(i);
    bench.tell(claim_of(name));
    bench.tell(make_pod(name, "c-" + name));
    if (i == 0) continue;
    planner::JobOutcome waits;
    waits.job = Uid("uid-" + name);
    waits.pods = {waits.job};
    waits.reason = Reason::devices_in_use;
    plan.jobs.push_back(waits);
  }
  const auto told = [&] {
    std::size_t pods = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto view = bench.engine.pod({"default", "p" + std::to_string(i)});
      pods += view->reason == Reason::devices_in_use ? 1U : 0U;
    }
    return pods;
  };
  bench.planned({});
  bench.planned(plan);
  CHECK(bench.take_write<LiftGate>());
  std::size_t steps = 1;
  std::size_t before = 0;
  for (; told() < count - 1; ++steps) {
    CHECK(told() - before <= PlanCycle::slice_pods);
    before = told();
    REQUIRE(bench.engine.next_tick() == bench.now);
    const auto plans = bench.wanted.size();
    bench.tick();
    if (told() < count - 1) CHECK(bench.wanted.size() == plans);
  }
  CHECK(steps == 8);  // the first, which gives p0 its place, and 31 pods in each of the others
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

TEST_CASE("the next plan knows what the one before it handed on") {
  OnePod bench;
  CHECK(bench.wanted.back().input->progress.get() == nullptr);
  auto plan = plan_of({});
  plan.exhausted = true;
  plan.progress = planner::CarriedProgress(std::make_shared<const planner::Progress>(
      planner::Progress{.plan = 7, .looks = {}, .infeasible = {}}));
  bench.planned(plan);
  bench.now = start + 1s;
  bench.tick();
  REQUIRE(bench.wanted.back().input->progress.get() != nullptr);
  CHECK(bench.wanted.back().input->progress.get()->plan == 7);
}

TEST_CASE("a plan made under an earlier leadership is not taken") {
  OnePod bench;
  const auto generation = bench.wanted.back().generation;
  bench.apply(LeadershipChanged{false, 3});
  bench.apply(LeadershipChanged{true, 4});
  bench.apply(
      Planned{generation, std::make_shared<const planner::Plan>(plan_of({placed("p", "n0")}))});
  CHECK(bench.device() == "none");
  bench.planned(plan_of({placed("p", "n0")}));
  CHECK(bench.device() == "n0/gpu-0");
}

}  // namespace
}  // namespace dray::engine::planning_test
