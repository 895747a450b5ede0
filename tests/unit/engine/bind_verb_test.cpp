#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>

#include "dray/model/pod_claim.h"
#include "tests/unit/engine/benches.h"

// The bind verb: for one pod, and for gangs with plans made by hand.

namespace dray::engine::bind_verb_test {
namespace {

using namespace std::chrono_literals;

const std::string not_leader(text(Reason::not_leader));

/// One answer, which is taken.
std::string answer(Bench& bench) {
  REQUIRE(bench.answers.size() == 1);
  const auto error = bench.answers[0].error;
  bench.answers.clear();
  return error;
}

TEST_CASE("a bind of a pod that is bound by now") {
  Bench bench;
  bench.add_nodes(2, 1);
  auto pod = make_pod("p", "", false);
  pod.node_name = NodeName("n0");
  bench.tell(pod);
  bench.bind(pod, "n0", 1);
  CHECK(answer(bench).empty());
  bench.bind(pod, "n1", 2);
  CHECK(answer(bench) == "pod default/p is bound to another node");
  CHECK(bench.writes.empty());
}

TEST_CASE("between the binding and the watch, the same bind is confirmed and another refused") {
  Bench bench;
  bench.add_nodes(2, 1);
  const auto pod = make_pod("p", "", false);
  bench.tell(pod);
  bench.bind(pod, "n0", 1);
  bench.bind(pod, "n1", 2);
  CHECK(answer(bench) == "pod default/p is being bound to another node");
  const auto write = bench.take_write<BindPod>();
  REQUIRE(write);
  CHECK_FALSE(bench.take_write<BindPod>());
  bench.done(write->first);
  CHECK(answer(bench).empty());
  bench.bind(pod, "n0", 3);
  CHECK(answer(bench).empty());
  bench.bind(pod, "n1", 4);
  CHECK(answer(bench) == "pod default/p is bound to another node");
  CHECK(bench.writes.empty());
}

TEST_CASE("a pod that dray does not schedule is merely bound, if it has no devices") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("c", 1));
  auto plain = make_pod("plain", "", false);
  auto with_claim = make_pod("devices", "c", false);
  for (auto* pod : {&plain, &with_claim}) {
    pod->scheduler_name = "other";
    bench.tell(*pod);
  }
  bench.bind(plain, "n0", 1);
  CHECK(bench.answers.empty());
  CHECK(bench.take_write<BindPod>());
  bench.bind(with_claim, "n0", 2);
  CHECK(answer(bench) ==
        "pod default/devices has claims, but its scheduler is \"other\" and not "
        "\"dray-scheduler\"");
}

TEST_CASE("a pod that is being deleted is not bound") {
  Bench bench;
  bench.add_nodes(1, 1);
  auto pod = make_pod("p", "", false);
  pod.scheduler_name = "other";
  pod.meta.deleted = start;
  bench.tell(pod);
  bench.bind(pod, "n0", 1);
  CHECK(answer(bench) == "pod default/p is being deleted");
}

TEST_CASE("a bind without a reservation is planned on the node that it names") {
  Bench bench;
  bench.add_nodes(2, 1);
  bench.tell(claim_of("p"));
  auto pod = make_pod("p", "c-p", false);
  bench.apply(LeadershipChanged{false, 3});
  bench.tell(pod);
  bench.apply(LeadershipChanged{true, 3});
  const auto view = bench.engine.pod(pod.key());
  REQUIRE(view);
  REQUIRE(view->placement);
  // A reservation elsewhere is in the way; without one the named node is used.
  bench.bind(pod, "n1", 1);
  CHECK_THAT(answer(bench), Catch::Contains("another"));
}

TEST_CASE("a bind that cannot be planned says why, and names the node") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("c", 2));
  const auto pod = make_pod("p", "c", false);
  bench.tell(pod);
  bench.bind(pod, "n0", 1);
  CHECK(answer(bench) == "pod default/p, node n0: " + std::string(text(Reason::no_devices)));
  CHECK_FALSE(bench.take_write<ProtectClaim>());
}

TEST_CASE("a claim that is gone ends the bind, and its pod is planned again") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(claim_of("p"));
  const auto pod = make_pod("p", "c-p");
  bench.tell(pod);
  bench.lift(pod);
  REQUIRE(bench.engine.status().reservations == 1);
  bench.apply(cluster::ObjectGone{Kind::resource_claim, "default", "c-p", Uid("uid-c-p")});
  bench.bind(pod, "n0", 1);
  CHECK(answer(bench) == "claim default/c-p does not exist any more");
  CHECK(bench.engine.status().reservations == 0);
  CHECK(bench.engine.status().binds_in_flight == 0);
}

TEST_CASE(
    "a claim made anew under another name ends the bind, though the old name is there again") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(claim_of("p"));
  auto pod = testing::with_template(make_pod("p", "", false), "one", "gpus");
  pod.resource_claim_statuses = {{.name = "gpus", .claim_name = "c-p"}};
  auto claim = claim_of("p");
  claim.meta.owners = {pod_as_owner("p", pod.meta.uid)};
  bench.tell(claim);
  bench.tell(pod);
  REQUIRE(bench.engine.status().reservations == 1);
  pod.resource_claim_statuses = {{.name = "gpus", .claim_name = "c-p-again"}};
  bench.tell(pod);
  bench.bind(pod, "n0", 1);
  CHECK(answer(bench) == "pod default/p uses other claims by now");
  CHECK(bench.engine.status().reservations == 0);
}

TEST_CASE("a claim that is a group's is used by the group") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_group(1));
  auto claim = claim_of("a");
  claim.meta.owners.push_back({.api_version = "scheduling.k8s.io/v1alpha1",
                               .kind = "PodGroup",
                               .name = "g",
                               .uid = Uid("uid-g"),
                               .controller = true});
  bench.tell(claim);
  auto pod = member("a");
  pod.resource_claims[0].claim_name.reset();
  pod.resource_claims[0].template_name = "t";
  pod.resource_claim_statuses.push_back({"gpus", "c-a"});
  bench.tell(pod);
  bench.lift(pod);
  REQUIRE(bench.engine.status().reservations > 0);
  bench.bind(pod, "n0", 1);
  const auto write = bench.take_write<AllocateClaim>();
  REQUIRE(write);
  REQUIRE(write->second.reserved_for.size() == 1);
  CHECK(write->second.reserved_for[0].resource == "podgroups");
  CHECK(write->second.reserved_for[0].uid == Uid("uid-g"));
}

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

TEST_CASE("members beyond the minimum are bound by themselves") {
  GangBench bench;
  bench.offer_all();
  bench.bind(GangBench::lifted("a"), "n0", 1);
  bench.bind(GangBench::lifted("b"), "n1", 2);
  bench.allocate();
  bench.allocate();
  while (const auto write = bench.take_write<BindPod>()) bench.done(write->first);
  CHECK(bench.answers.size() == 2);
  CHECK(bench.engine.status().binds_done == 2);
  // A third one comes later: the others are bound, so that it waits for nobody.
  bench.tell(claim_of("c"));
  bench.tell(member("c"));
  planner::Plan plan;
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-g");
  outcome.pods = {Uid("uid-c")};
  outcome.placements = {place("c", "n0")};
  outcome.placements[0].claims[0].allocation.devices[0].device.device = DeviceName("gpu-1");
  plan.jobs.push_back(outcome);
  bench.planned({});
  bench.planned(std::move(plan));
  REQUIRE(bench.engine.status().reservations >= 3);
  bench.lift(member("c"));
  bench.bind(GangBench::lifted("c"), "n0", 3);
  CHECK(bench.take_write<AllocateClaim>());
}

TEST_CASE("a gang that has begun to run keeps its places when one of them is refused") {
  GangBench bench;
  bench.lift(member("a"));
  bench.lift(member("b"));
  auto running_a = GangBench::lifted("a");
  running_a.node_name = NodeName("n0");
  bench.tell(running_a);
  REQUIRE(bench.engine.status().reservations == 1);
  static_cast<void>(bench.filter(GangBench::lifted("b"), {"n0"}));
  CHECK(bench.engine.status().reservations == 0);
}

TEST_CASE("when a member goes before the gang is bound, the others give their places up") {
  GangBench bench;
  bench.lift(member("a"));
  bench.lift(member("b"));
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "a", Uid("uid-a")});
  CHECK(bench.engine.status().reservations == 0);
}

TEST_CASE("a member that is being deleted leaves its gang short") {
  GangBench bench;
  bench.lift(member("a"));
  bench.lift(member("b"));
  auto leaving = GangBench::lifted("a");
  leaving.meta.deleted = start;
  bench.tell(leaving);
  CHECK(bench.engine.status().reservations == 0);
}

TEST_CASE("all that are left of a gang that came short give their places up") {
  Bench bench({}, true);
  bench.add_nodes(3, 1);
  bench.tell(make_group(3));
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-g");
  const std::map<std::string, std::string> places{{"a", "n0"}, {"b", "n1"}, {"c", "n2"}};
  for (const auto& [name, node] : places) {
    bench.tell(claim_of(name));
    bench.tell(member(name));
    outcome.pods.emplace_back("uid-" + name);
    outcome.placements.push_back(place(name, node));
  }
  planner::Plan plan;
  plan.jobs.push_back(std::move(outcome));
  bench.planned({});
  bench.planned(std::move(plan));
  for (const auto& [name, node] : places) bench.lift(member(name));
  REQUIRE(bench.engine.status().reservations == 3);
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "a", Uid("uid-a")});
  CHECK(bench.engine.status().reservations == 0);
}

TEST_CASE("a member whose group is not there any more is not bound alone") {
  GangBench bench;
  bench.offer_all();
  bench.apply(cluster::ObjectGone{Kind::pod_group, "default", "g", Uid("uid-g")});
  bench.bind(GangBench::lifted("a"), "n0", 1);
  REQUIRE(bench.answers.size() == 1);
  CHECK_FALSE(bench.answers.front().error.empty());
  CHECK_FALSE(bench.take_write<AllocateClaim>());
  CHECK(bench.engine.status().reservations == 1);
}

TEST_CASE("a gang's member that fails at once keeps the others from being started") {
  GangBench bench;
  bench.offer_all();
  bench.apply(cluster::ObjectGone{Kind::resource_claim, "default", "c-a", Uid("uid-c-a")});
  bench.bind(GangBench::lifted("a"), "n0", 1);
  bench.bind(GangBench::lifted("b"), "n1", 2);
  CHECK(bench.answers.size() == 2);
  for (const auto& answer : bench.answers) CHECK_FALSE(answer.error.empty());
  CHECK_FALSE(bench.take_write<AllocateClaim>());
  CHECK_FALSE(bench.take_write<ProtectClaim>());
  CHECK(bench.engine.status().binds_in_flight == 0);
  CHECK(bench.engine.status().gangs_binding == 0);
}

}  // namespace
}  // namespace dray::engine::bind_verb_test
