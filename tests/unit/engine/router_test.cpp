#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/unit/engine/benches.h"

// Events and timers: who hears of what, and what a change of leadership leaves.

namespace dray::engine::router_test {
namespace {

using namespace std::chrono_literals;

const std::string not_leader(text(Reason::not_leader));

/// p is reserved on n0 and its bind has asked for the claim's allocation.
struct Binding1 : Bench {
  Pod pod = make_pod("p", "c-p", false);
  std::optional<std::pair<WriteId, AllocateClaim>> allocate;

  explicit Binding1(const std::string& version = {}) {
    pod.meta.resource_version = ResourceVersion(version);
    add_nodes(1, 1);
    tell(claim_of("p"));
    tell(pod);
    bind(pod, "n0", 1);
    allocate = take_write<AllocateClaim>();
    REQUIRE(allocate);
  }
  WriteOutcome allocated() const {
    auto claim = claim_of("p", "11");
    claim.allocation = allocate->second.allocation;
    claim.reserved_for = allocate->second.reserved_for;
    return WrittenObject{claim};
  }
};

TEST_CASE("a pod that changes while its claims are written is bound at its new version") {
  Binding1 bench("5");
  auto pod = bench.pod;
  pod.meta.resource_version = ResourceVersion("6");
  bench.tell(pod);
  bench.done(bench.allocate->first, bench.allocated());
  const auto bind = bench.take_write<BindPod>();
  REQUIRE(bind);
  CHECK(bind->second.expected == ResourceVersion("6"));
}

TEST_CASE("losing leadership answers every call and holds nothing") {
  Binding1 bench;
  bench.bind(bench.pod, "n0", 2);
  bench.apply(LeadershipChanged{false, 0});
  REQUIRE(bench.answers.size() == 2);
  for (const auto& answer : bench.answers) CHECK(answer.error == not_leader);
  const auto status = bench.engine.status();
  CHECK_FALSE(status.leading);
  CHECK(status.binds_in_flight == 0);
  CHECK(status.reservations == 0);
  CHECK(status.devices_allocated == 0);
  CHECK(status.pods_waiting == 1);
  CHECK_FALSE(bench.engine.next_tick());
}

TEST_CASE("outcomes of an earlier leadership's writes change nothing") {
  Binding1 bench;
  bench.apply(LeadershipChanged{false, 0});
  bench.apply(LeadershipChanged{true, 4});
  bench.done(bench.allocate->first, bench.allocated());
  CHECK_FALSE(bench.take_write<BindPod>());
  // The next bind writes under the new epoch.
  bench.writes.clear();
  bench.bind(bench.pod, "n0", 2);
  REQUIRE_FALSE(bench.writes.empty());
  CHECK(bench.writes.front().epoch == 4);
}

TEST_CASE("devices of a bound pod are free again although leadership was lost before the watch") {
  Binding1 bench;
  bench.done(bench.allocate->first, bench.allocated());
  const auto bind = bench.take_write<BindPod>();
  REQUIRE(bind);
  bench.done(bind->first);
  auto pod = bench.pod;
  pod.node_name = NodeName("n0");
  bench.tell(pod);  // before the watch shows its claim
  bench.apply(LeadershipChanged{false, 0});
  CHECK(bench.engine.status().devices_allocated == 1);
  bench.apply(LeadershipChanged{true, 4});
  bench.tell(std::get<ResourceClaim>(*bench.allocated()));
  CHECK(bench.engine.status().devices_allocated == 1);
  bench.tell(claim_of("p", "12"));  // its controller took the devices from it
  CHECK(bench.engine.status().devices_allocated == 0);
}

TEST_CASE("a gated pod that bypasses dray since the policy changed loses its gate") {
  Bench bench;
  bench.add_nodes(1, 1);
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("q");
  queue.limit["cpu"] = Quantity(0);
  config.queues.push_back(queue);
  config.pod_queues.otherwise = policy::QueueName("q");
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  auto pod = make_pod("p", "");
  pod.containers.resize(1);
  pod.containers[0].requests["cpu"] = Quantity(1);
  bench.tell(pod);
  REQUIRE_FALSE(bench.take_write<LiftGate>());
  bench.apply(PolicyChanged{nullptr});
  CHECK(bench.take_write<LiftGate>());
}

TEST_CASE("who lost its name to another pod is gone, though no watch has said so") {
  Bench bench({}, true);
  bench.add_nodes(2, 1);
  bench.tell(make_group(2));
  for (const auto* name : {"a", "b"}) {
    auto pod = member(name);
    pod.node_name = NodeName("n0");
    bench.tell(claim_of(name));
    bench.tell(pod);
  }
  for (const auto* name : {"a", "b"}) {
    auto anew = member(name);
    anew.meta.uid = Uid(std::string("uid-anew-") + name);
    bench.tell(anew);
  }
  bench.planned({});  // whatever was wanted before the last came
  const auto& jobs = bench.wanted.back().input->jobs;
  const auto gang = std::ranges::find(jobs, Uid("uid-g"), &planner::Job::uid);
  REQUIRE(gang != jobs.end());
  // Those before them would be its minimum, and each of these a member more, to be placed alone.
  CHECK((*gang)->members.size() == 2);
  for (const auto& each : (*gang)->members) CHECK(each.state == planner::MemberState::waiting);
}

TEST_CASE("a gang that gathers is answered when leadership is lost") {
  GangBench bench;
  bench.offer_all();
  bench.bind(GangBench::lifted("a"), "n0", 1);
  bench.apply(LeadershipChanged{false, 0});
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error == not_leader);
  CHECK(bench.engine.status().gangs_binding == 0);
  CHECK_FALSE(bench.engine.next_tick());
}

TEST_CASE("victims run on under a new leader, and their room is held for nobody") {
  EvictionBench bench;
  const auto asked = bench.take_write<EvictPod>();
  REQUIRE(asked);
  bench.apply(LeadershipChanged{true, 4});
  bench.done(asked->first);
  CHECK_FALSE(bench.take_write<EvictPod>());
  const auto& input = bench.input();
  CHECK(input.holds.empty());
  const auto old = std::ranges::find(input.jobs, Uid("uid-old"), &planner::Job::uid);
  REQUIRE(old != input.jobs.end());
  CHECK((*old)->members[0].state == planner::MemberState::placed);
}

TEST_CASE("a pod that bypasses dray is offered by whoever leads next") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.apply(LeadershipChanged{false, 0});
  bench.tell(make_pod("p", ""));
  CHECK_FALSE(bench.take_write<LiftGate>());
  bench.apply(LeadershipChanged{true, 4});
  CHECK(bench.take_write<LiftGate>());
}

TEST_CASE("a victim that is gone may be a victim again under its name") {
  EvictionBench bench;
  bench.done(bench.take_write<EvictPod>()->first);
  bench.done(bench.take_write<EvictPod>()->first);
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
  bench.tell(running("old", "n0"));
  bench.planned({});
  bench.planned(EvictionBench::evict());
  CHECK(bench.take_write<EvictPod>());
}

TEST_CASE("devices of a pod that is gone are told to plans as on their way") {
  EvictionBench bench;
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "old", Uid("uid-old")});
  bench.planned({});
  const auto& leaving = bench.input().leaving;
  REQUIRE(leaving.size() == 1);
  CHECK(leaving[0].claim.name == "c-old");
  CHECK(leaving[0].node == NodeName("n0"));
}

TEST_CASE("a class that comes makes jobs of pods that bypassed dray") {
  Bench bench({}, true);
  bench.add_nodes(1, 1);
  auto pod = make_pod("p", "");
  pod.scheduling_gates.emplace_back("example.com/gate");  // or it would be offered by now
  pod.containers[0].requests["example.com/gpu"] = Quantity(1);
  bench.tell(pod);
  CHECK(bench.wanted.empty());
  auto device_class = make_class();
  device_class.extended_resource_name = "example.com/gpu";
  bench.tell(device_class);
  REQUIRE(bench.wanted.size() == 1);
  CHECK(bench.wanted.back().input->jobs.size() == 1);
}

TEST_CASE("a disruption budget asks for a plan, and is in it") {
  EvictionBench bench;
  bench.planned({});
  const auto wanted = bench.wanted.size();
  PodDisruptionBudget budget;
  budget.meta.namespace_name = "default";
  budget.meta.name = "b";
  budget.meta.uid = Uid("uid-b");
  budget.selector = LabelSelector{.match_labels = {}, .match_expressions = {}};
  bench.tell(budget);
  REQUIRE(bench.wanted.size() == wanted + 1);
  CHECK(bench.input().disruption_budgets.size() == 1);
  bench.apply(cluster::ObjectGone{Kind::pod_disruption_budget, "default", "b", Uid("uid-b")});
  bench.planned({});
  CHECK(bench.input().disruption_budgets.empty());
}

TEST_CASE("a change that no plan could see asks for none") {
  EvictionBench bench;
  bench.planned({});
  const auto wanted = bench.wanted.size();
  bench.tell(make_node("n0"));
  CHECK(bench.wanted.size() == wanted);
  bench.tell(make_node("n1"));
  CHECK(bench.wanted.size() == wanted + 1);
}

TEST_CASE("a write that frees a claim asks for a plan when it is over, if only by a conflict") {
  Bench bench({}, true);
  bench.add_nodes(2, 1);
  auto claim = claim_of("p");
  claim.allocation = place("p", "n0").claims[0].allocation;
  claim.reserved_for = {{.api_group = "", .resource = "pods", .name = "p", .uid = Uid("uid-p")}};
  bench.tell(claim);
  bench.tell(make_pod("p", "c-p"));
  planner::Plan plan;
  auto& outcome = plan.jobs.emplace_back();
  outcome.job = Uid("uid-p");
  outcome.pods = {Uid("uid-p")};
  outcome.reason = Reason::node_refused;
  bench.planned(plan);
  const auto read = bench.take_write<ReadPod>();
  REQUIRE(read);
  bench.done(read->first, WrittenObject{make_pod("p", "c-p")});
  const auto release = bench.take_write<ReleaseClaim>();
  REQUIRE(release);
  const auto wanted = bench.wanted.size();
  bench.done(release->first, fail(ErrorCode::conflict, "no"));
  CHECK(bench.wanted.size() == wanted + 1);
}

TEST_CASE("the next tick is the first of all timers") {
  Binding1 bench;
  CHECK(bench.engine.next_tick() == start + Binding::deadline);
  bench.tell(claim_of("q"));
  bench.tell(make_pod("q", "c-q"));
  bench.done(bench.allocate->first, fail(ErrorCode::unavailable, "no answer"));
  CHECK(bench.engine.next_tick() == start + 50ms);
  bench.wait();
  CHECK(bench.take_write<ReadClaim>());
}

TEST_CASE("the policy's problems and resources are told") {
  Bench bench;
  CHECK(bench.engine.status().policy_problem.empty());
  policy::PolicyConfig config;
  config.queues_from = policy::QueueSource::kai;
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  KaiQueue queue;
  queue.meta.name = "q";
  queue.parent = "q";
  bench.tell(queue);
  CHECK_FALSE(bench.engine.status().policy_problem.empty());
  bench.apply(cluster::ObjectGone{Kind::kai_queue, "", "q", Uid()});
  CHECK(bench.engine.status().policy_problem.empty());
}

TEST_CASE("usage is read when leadership begins, and its outcome comes back to it") {
  Bench bench;
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("x");
  config.queues.push_back(queue);
  config.fairness.half_life = 1h;
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  bench.tick();
  const auto read = bench.take_write<ReadConfigMap>();
  REQUIRE(read);
  CHECK(read->second.map.name == "dray-usage");
  bench.tick();
  CHECK_FALSE(bench.take_write<ReadConfigMap>());
  bench.done(read->first, fail(ErrorCode::not_found, "404"));
  CHECK(bench.engine.next_tick() == start + 1min);
  bench.wait();
  CHECK(bench.take_write<PutConfigMap>());
}

TEST_CASE("admission is told whose queues are whose when leadership begins and with each policy") {
  Options options;
  options.queue_users_record = {"dray-system", "dray-queue-users"};
  Bench bench(options);
  bench.tick();
  const auto first = bench.take_write<ReadConfigMap>();
  REQUIRE(first);
  CHECK(first->second.map == options.queue_users_record);
  bench.done(first->first, fail(ErrorCode::not_found, "404"));
  CHECK_FALSE(bench.take_write<PutConfigMap>());
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("x");
  queue.namespaces = {"team"};
  config.queues.push_back(queue);
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  bench.tick();
  const auto read = bench.take_write<ReadConfigMap>();
  REQUIRE(read);
  bench.done(read->first, fail(ErrorCode::not_found, "404"));
  const auto put = bench.take_write<PutConfigMap>();
  REQUIRE(put);
  CHECK(put->second.value.data.at("queue.x") == "namespace team\n");
}

TEST_CASE("a bound pod is remembered with its queue and job") {
  Bench bench;
  bench.add_nodes(1, 1);
  auto pod = make_pod("p", "", false);
  bench.tell(pod);
  bench.bind(pod, "n0", 1);
  bench.done(bench.take_write<BindPod>()->first);
  pod.node_name = NodeName("n0");
  bench.tell(pod);
  const auto view = bench.engine.pod(pod.key());
  REQUIRE(view);
  REQUIRE(view->placement);
  CHECK(view->placement->node == NodeName("n0"));
  CHECK(view->reason == Reason::none);
  CHECK_FALSE(bench.engine.pod({"default", "another"}));
}

TEST_CASE(
    "of many timers that are due at once a tick carries out some, and the next ones the rest") {
  Bench bench({}, true);
  constexpr std::size_t pods = 100;
  // Their group is not there: each is told so after a while.
  for (std::size_t i = 0; i < pods; ++i) bench.tell(member("p" + std::to_string(i)));
  while (bench.engine.next_tick() == bench.now) bench.tick();
  bench.writes.clear();
  bench.now += 1min;
  bench.tick();
  CHECK(!bench.writes.empty());
  CHECK(bench.writes.size() < pods / 2);
  int ticks = 0;
  while (bench.engine.next_tick() && *bench.engine.next_tick() <= bench.now && ++ticks < 100) {
    bench.tick();
  }
  std::set<std::string> told;
  while (const auto write = bench.take_write<SetPodCondition>()) {
    told.insert(write->second.pod.to_string());
  }
  CHECK(told.size() == pods);
}

}  // namespace
}  // namespace dray::engine::router_test
