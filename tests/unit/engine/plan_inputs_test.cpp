#include "engine/plan_inputs.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/lifecycle_world.h"

namespace dray::engine::plan_inputs_test {
namespace {

using namespace std::chrono_literals;
using State = planner::MemberState;

/// The owners that plans read, with the pods p and q waiting for claims.
struct World {
  cluster::ClusterState cluster;
  std::map<Uid, NodeName> reserved;
  Admission admission{{.scheduler_name = "dray-scheduler", .gate = "dray.dev/admission"},
                      cluster,
                      {.reserved_node = [this](const Uid& uid) { return pods.reserved_node(uid); },
                       .evicting = [](const Uid&) { return false; }}};
  RoomBook room{cluster};
  UsageKeeper usage{{"dray-system", "dray-usage"}};
  PodLifecycle pods{{.gate = "dray.dev/admission",
                     .reservation_life = life,
                     .nominate_from_nodes = 1000,
                     .tell_after = {}},
                    cluster,
                    admission.jobs()};
  PlanInputs inputs{cluster, admission, room, usage, pods};

  World() {
    usage.set_policy(admission.policy());
    for (const auto* node : {"n0", "n1"}) {
      tell(make_node(node));
      tell(make_gpus(node, 1));
    }
    tell(make_class());
    tell(make_claim("c", 1));
    tell(make_claim("d", 1));
    show(make_pod("p", "c", false));
    show(make_pod("q", "d", false));
  }
  void tell(const KubeObject& object) { cluster.apply(cluster::ObjectChanged{object}); }
  void show(const Pod& pod) {
    tell(pod);
    admission.put(pod, start);
    if (pods.find(pod.meta.uid) == nullptr) static_cast<void>(pods.appeared(pod));
  }
  /// p had n0, and kube-scheduler did not take it.
  void refuse(Time now = start) {
    static_cast<void>(pods.reserve(LifecycleWorld::place("n0"), "", {}));
    static_cast<void>(pods.refuse_node(Uid("uid-p"), now));
  }
  void use_queues(policy::Budgets budgets = {}) {
    policy::PolicyConfig config;
    policy::QueueConfig queue;
    queue.name = policy::QueueName("x");
    config.queues.push_back(queue);
    config.pod_queues.otherwise = policy::QueueName("x");
    config.budgets = budgets;
    static_cast<void>(admission.set_config(std::make_shared<const policy::PolicyConfig>(config)));
  }
  std::shared_ptr<const planner::Job> job(const std::string& pod) {
    admission.jobs().refresh(start);
    return admission.jobs().job_of(Uid("uid-" + pod));
  }
};

State state_of(const planner::PlanInput& input, const std::string& pod) {
  const auto job = std::ranges::find(input.jobs, Uid("uid-" + pod), &planner::Job::uid);
  return job == input.jobs.end() ? State::done : (*job)->members.front().state;
}

TEST_CASE("a plan of all reads the jobs, the cluster, the policy and the clock") {
  World world;
  const auto input = world.inputs.of_all(start + 1s);
  CHECK(input.jobs.size() == 2);
  CHECK(input.snapshot == world.cluster.snapshot());
  CHECK(input.policy == world.admission.policy());
  CHECK(input.now == start + 1s);
  CHECK_FALSE(input.only);
  CHECK(input.usage == nullptr);
  CHECK(input.actions == planner::Actions{});
}

TEST_CASE("a refused node stays out until it changes or time has passed") {
  World world;
  world.refuse();
  const auto want = std::vector{planner::RefusedNode{Uid("uid-p"), NodeName("n0")}};
  CHECK(world.inputs.of_all(start).refused == want);
  SECTION("time") {
    const auto end = start + PodLifecycle::refusal_life;
    CHECK(world.inputs.of_all(end - 1us).refused == want);
    CHECK(world.inputs.of_all(end).refused.empty());
  }
  SECTION("the node changes") {
    auto node = make_node("n0");
    node.meta.resource_version = ResourceVersion("2");
    node.meta.labels["x"] = "y";
    world.tell(node);
    CHECK(world.inputs.of_all(start).refused.empty());
  }
  SECTION("the node goes") {
    world.cluster.apply(cluster::ObjectGone{Kind::node, "", "n0", Uid("uid-n0")});
    CHECK(world.inputs.of_all(start).refused.empty());
  }
  SECTION("the pod has a place elsewhere") {
    static_cast<void>(world.pods.reserve(LifecycleWorld::place("n1"), "", {}));
    static_cast<void>(world.pods.offer(Uid("uid-p"), start));
    CHECK(world.inputs.of_all(start).refused.empty());
  }
  SECTION("the pod bypasses dray by now") {
    world.pods.set_bypasses(Uid("uid-p"), true);
    CHECK(world.inputs.of_all(start).refused.empty());
  }
}

TEST_CASE("held room and disruption budgets are the plan's") {
  World world;
  world.room.hold(Uid("uid-p"), {LifecycleWorld::place("n0")});
  world.room.hold(Uid("gone"), {LifecycleWorld::place("n1")});
  PodDisruptionBudget budget;
  budget.meta.namespace_name = "default";
  budget.meta.name = "b";
  budget.meta.uid = Uid("uid-b");
  budget.selector = LabelSelector{.match_labels = {}, .match_expressions = {}};
  static_cast<void>(world.admission.observe(budget));
  const auto input = world.inputs.of_all(start);
  REQUIRE(input.holds.size() == 1);
  CHECK(input.holds[0].job == Uid("uid-p"));
  REQUIRE(input.disruption_budgets.size() == 1);
  CHECK(input.disruption_budgets[0].allowed == 0);
}

TEST_CASE("the policy says how much a plan may do, and never nothing") {
  struct Row {
    std::string name;
    std::int32_t given;
    std::size_t jobs;
    std::size_t evictions;
  };
  const auto row = GENERATE(Row{"as given", 7, 7, 7}, Row{"at least one job", 0, 1, 0},
                            Row{"nothing below", -3, 1, 0});
  DYNAMIC_SECTION(row.name) {
    World world;
    policy::Budgets budgets;
    budgets.jobs = row.given;
    budgets.nodes_tried = row.given;
    budgets.evictions = row.given;
    world.use_queues(budgets);
    const auto input = world.inputs.of_all(start);
    CHECK(input.budget.jobs == row.jobs);
    CHECK(input.budget.nodes_tried == row.jobs);
    CHECK(input.budget.evictions == row.evictions);
  }
}

TEST_CASE("a plan of one job evicts nobody, and tries the given nodes alone") {
  World world;
  world.refuse();
  const std::vector nodes{NodeName("n1")};
  const auto input = world.inputs.of_one(world.job("p"), nodes, 256, start);
  CHECK(input.jobs.size() == 1);
  REQUIRE(input.only);
  CHECK(std::ranges::equal(*input.only, nodes));
  CHECK(input.refused.size() == 1);
  CHECK(input.actions.place);
  CHECK_FALSE(input.actions.consolidate);
  CHECK_FALSE(input.actions.reclaim);
  CHECK_FALSE(input.actions.preempt);
  CHECK_FALSE(input.actions.end_stale_gangs);
  CHECK(input.budget.nodes_tried == 256);
  CHECK(input.now == start);
  CHECK(input.snapshot == world.cluster.snapshot());
}

TEST_CASE("where queues count, the others' rooms count and their wishes do not") {
  World world;
  world.use_queues();
  const auto job = world.job("p");
  auto input = world.inputs.of_one(job, {NodeName("n1")}, 1, start);
  CHECK(state_of(input, "p") == State::waiting);
  CHECK(input.jobs.size() == 1);  // "q" has no room
  CHECK(input.policy == world.admission.policy());
  // Whose room is held keeps its wish, or the room would be free.
  world.room.hold(Uid("uid-q"), {LifecycleWorld::place("n0")});
  input = world.inputs.of_one(job, {NodeName("n1")}, 1, start);
  CHECK(state_of(input, "q") == State::waiting);
  CHECK(input.holds.size() == 1);
  // A job that the book does not know is put in its place.
  auto stranger = *job;
  stranger.uid = Uid("uid-pp");
  input = world.inputs.of_one(std::make_shared<const planner::Job>(stranger), {}, 1, start);
  REQUIRE(input.jobs.size() == 2);
  CHECK(input.jobs[0]->uid == Uid("uid-pp"));
}

TEST_CASE("a gang may try its nodes for each of its pods") {
  World world;
  auto job = *world.job("p");
  job.members.push_back(job.members.front());
  CHECK(world.inputs.of_one(std::make_shared<const planner::Job>(job), {}, 10, start)
            .budget.nodes_tried == 20);
}

TEST_CASE("a dry run asks about one pod beside all others, whatever is known of the pod") {
  World world;
  const auto pod = make_pod("stranger", "c", false);
  const std::vector nodes{NodeName("n1"), NodeName("n0")};
  const auto input = world.inputs.dry_run(pod, nodes, start);
  const auto asked = std::ranges::find(input.jobs, PlanInputs::dry_run_uid(pod),
                                       [](const auto& job) { return job->uid; });
  REQUIRE(asked != input.jobs.end());
  CHECK((*asked)->first().meta.uid == pod.meta.uid);
  CHECK((*asked)->queue == policy::QueueName(std::string(policy::default_queue)));
  REQUIRE(input.only);
  CHECK(std::ranges::equal(*input.only, nodes));
  CHECK(input.now == start);
  CHECK(input.snapshot == world.cluster.snapshot());
  CHECK(input.policy == world.admission.policy());
}

TEST_CASE("a plan is worth it while something waits, or there are groups") {
  World world;
  CHECK(world.inputs.worth_planning());
  world.pods.set_bypasses(Uid("uid-p"), true);
  CHECK(world.inputs.worth_planning());
  static_cast<void>(world.pods.reserve(LifecycleWorld::place("n0", "q"), "", {}));
  CHECK_FALSE(world.inputs.worth_planning());
  static_cast<void>(world.pods.release(Uid("uid-q")));
  CHECK(world.inputs.worth_planning());
  static_cast<void>(world.pods.reserve(LifecycleWorld::place("n0", "q"), "", {}));
  CHECK_FALSE(world.inputs.worth_planning());
  static_cast<void>(world.pods.withdraw(Uid("uid-q")));
  CHECK(world.inputs.worth_planning());
  static_cast<void>(world.pods.reserve(LifecycleWorld::place("n0", "q"), "", {}));
  CHECK_FALSE(world.inputs.worth_planning());
  world.pods.set_bypasses(Uid("uid-p"), false);
  CHECK(world.inputs.worth_planning());
  world.pods.set_bypasses(Uid("uid-p"), true);
  CHECK_FALSE(world.inputs.worth_planning());
  auto pod = make_pod("a", "");
  pod.meta.annotations["pod-group-name"] = "g";
  world.tell(pod);
  world.admission.put(pod, start);
  CHECK(world.inputs.worth_planning());
}

}  // namespace
}  // namespace dray::engine::plan_inputs_test
