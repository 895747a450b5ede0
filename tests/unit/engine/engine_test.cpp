#include "dray/engine/engine.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::engine_test {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> names(const std::vector<NodeName>& nodes) {
  std::vector<std::string> out;
  for (const auto& node : nodes) out.push_back(node.get());
  return out;
}

std::string only_reason(const extender::FilterResponse& response) {
  REQUIRE(response.failed_unresolvable.size() == 1);
  CHECK(response.failed.empty());
  CHECK(response.error.empty());
  return response.failed_unresolvable.begin()->first;
}

TEST_CASE("a gated pod is planned, lifted with a hint, filtered to one node and bound") {
  Bench bench;
  bench.add_nodes(3, 2);
  bench.tell(make_claim("c", 2));
  const auto pod = make_pod("p", "c");
  bench.tell(pod);
  REQUIRE(bench.engine.status().reservations == 1);
  const auto lift = bench.take_write<LiftGate>();
  REQUIRE(lift);
  CHECK(lift->second.annotations == Labels{{"dray.dev/reservation", "n0"}});
  bench.done(lift->first);
  CHECK(names(bench.filter(pod, {"n2", "n1", "n0"}).node_names) == std::vector<std::string>{"n0"});

  bench.bind(pod, "n0", 1);
  const auto protect = bench.take_write<ProtectClaim>();
  REQUIRE(protect);
  auto claim = make_claim("c", 2);
  claim.meta.finalizers = {claim_finalizer};
  claim.meta.resource_version = ResourceVersion("11");
  bench.done(protect->first, claim);
  const auto allocate = bench.take_write<AllocateClaim>();
  REQUIRE(allocate);
  CHECK(allocate->second.expected == ResourceVersion("11"));
  CHECK(allocate->second.allocation.devices.size() == 2);
  REQUIRE(allocate->second.reserved_for.size() == 1);
  CHECK(allocate->second.reserved_for[0].uid == pod.meta.uid);
  CHECK(bench.answers.empty());
  claim.allocation = allocate->second.allocation;
  claim.reserved_for = allocate->second.reserved_for;
  bench.done(allocate->first, claim);
  const auto binding = bench.take_write<BindPod>();
  REQUIRE(binding);
  CHECK(bench.answers.empty());  // OK only after the API server said so
  bench.done(binding->first);
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error.empty());
  CHECK(bench.engine.status().binds_done == 1);
}

TEST_CASE("a reserved device is nobody else's, before its claim shows it and after") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("a", 1));
  bench.tell(make_claim("b", 1));
  bench.tell(make_pod("pa", "a"));
  bench.tell(make_pod("pb", "b"));
  CHECK(bench.engine.status().reservations == 1);
  CHECK(bench.engine.status().pods_waiting == 1);
  const auto waiting = bench.engine.pod({"default", "pb"});
  REQUIRE(waiting);
  CHECK(waiting->reason == Reason::devices_in_use);
  // The owner is told why, on the pod, if it still waits after a while.
  CHECK_FALSE(bench.take_write<SetPodCondition>());
  bench.wait();
  const auto condition = bench.take_write<SetPodCondition>();
  REQUIRE(condition);
  CHECK(condition->second.condition.reason == "DevicesInUse");
  CHECK(condition->second.condition.status == "False");
  // When the first pod goes, the second gets the device.
  bench.apply(cluster::ObjectGone{Kind::pod, "default", "pa", Uid("uid-pa")});
  CHECK(bench.engine.pod({"default", "pb"})->placement);
}

TEST_CASE("what a pod that gets its place holds already, from before a restart, is not released") {
  Bench bench;
  bench.add_nodes(1, 1);
  auto claim = make_claim("c", 1);
  AllocatedDevice device;
  device.request = "gpu";
  device.device = {DriverName("gpu.example.com"), PoolName("n0"), DeviceName("gpu-0")};
  claim.allocation.emplace().devices = {device};
  const auto pod = make_pod("p", "c");
  claim.reserved_for = {{.api_group = "", .resource = "pods", .name = "p", .uid = pod.meta.uid}};
  bench.tell(claim);
  bench.tell(pod);
  REQUIRE(bench.take_write<LiftGate>());
  CHECK_FALSE(bench.take_write<ReleaseClaim>());
}

TEST_CASE("an ungated pod is planned at its first filter") {
  Options options;
  Bench bench(options);
  bench.add_nodes(2, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c", false);
  bench.tell(pod);
  const auto response = bench.filter(pod, {"n0", "n1"});
  CHECK(response.node_names.size() == 1);
}

TEST_CASE("filter says no with one constant reason, in FailedAndUnresolvableNodes") {
  Bench bench;
  bench.add_nodes(2, 1);
  bench.tell(make_claim("c", 4));
  const auto pod = make_pod("p", "c", false);
  bench.tell(pod);
  const auto first = only_reason(bench.filter(pod, {"n0", "n1"}));
  CHECK(first == only_reason(bench.filter(pod, {"n0", "n1"})));
  CHECK(first == std::string(text(Reason::no_devices)));
  CHECK(first.size() < 120);
}

TEST_CASE("what is missing is named") {
  struct Row {
    std::string name;
    bool with_claim;
    bool with_class;
    Reason want;
  };
  const auto row = GENERATE(Row{"no claim yet", false, true, Reason::claim_missing},
                            Row{"no such class", true, false, Reason::class_missing});
  DYNAMIC_SECTION(row.name) {
    Bench bench;
    bench.add_nodes(1, 1);
    if (!row.with_class) {
      bench.apply(cluster::ObjectGone{Kind::device_class, "", "gpu", Uid()});
    }
    if (row.with_claim) bench.tell(make_claim("c", 1));
    const auto pod = make_pod("p", "c", false);
    bench.tell(pod);
    CHECK(only_reason(bench.filter(pod, {"n0"})) == std::string(text(row.want)));
  }
}

TEST_CASE("the nominated node alone, and another: none, and the reservation stays") {
  Bench bench;
  bench.add_nodes(2, 1);
  bench.tell(make_claim("c", 1));
  auto pod = make_pod("p", "c");
  bench.tell(pod);
  bench.lift(pod);
  pod.nominated_node = NodeName("n1");
  CHECK(only_reason(bench.filter(pod, {"n1"})) == std::string(text(Reason::reserved_elsewhere)));
  CHECK(bench.engine.pod(pod.key())->placement->node == NodeName("n0"));
}

TEST_CASE("a reserved node that kube-scheduler left out is given up for another") {
  Bench bench;
  bench.add_nodes(3, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c");
  bench.tell(pod);
  bench.lift(pod);
  const auto response = bench.filter(pod, {"n1", "n2"});
  CHECK(names(response.node_names) == std::vector<std::string>{"n1"});
}

TEST_CASE("a lifted pod called unschedulable without a filter call is planned elsewhere") {
  Bench bench;
  bench.add_nodes(2, 1);
  bench.tell(make_claim("c", 1));
  auto pod = make_pod("p", "c");
  bench.tell(pod);
  bench.lift(pod);
  pod.scheduling_gates.clear();
  pod.meta.annotations["dray.dev/reservation"] = "n0";
  pod.conditions = {{.type = "PodScheduled",
                     .status = "False",
                     .reason = "Unschedulable",
                     .message = "0/2 nodes are available",
                     .last_transition = start + 1s}};
  bench.tell(pod);
  CHECK(bench.engine.pod(pod.key())->placement->node == NodeName("n1"));
  // Patching the hint also wakes the pod in kube-scheduler.
  const auto hint = bench.take_write<AnnotatePod>();
  REQUIRE(hint);
  CHECK(hint->second.annotations.at("dray.dev/reservation") == "n1");
}

TEST_CASE("a reservation that nobody comes for runs out") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c");
  bench.tell(pod);
  bench.lift(pod);
  bench.wait();
  CHECK(bench.engine.status().reservations_expired == 1);
}

TEST_CASE("a pod without claims passes, and is merely bound") {
  Bench bench;
  bench.add_nodes(2, 1);
  const auto pod = make_pod("p", "", false);
  bench.tell(pod);
  CHECK(bench.filter(pod, {"n0", "n1"}).node_names.size() == 2);
  bench.bind(pod, "n1", 1);
  const auto binding = bench.take_write<BindPod>();
  REQUIRE(binding);
  CHECK(binding->second.node == NodeName("n1"));
  bench.done(binding->first);
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error.empty());
}

TEST_CASE("what a bind holds is let go if the watch never shows its pod") {
  Bench bench;
  bench.add_nodes(1, 1);
  const auto pod = make_pod("p", "", false);
  (void)bench.filter(pod, {"n0"});
  bench.bind(pod, "n0", 1);
  const auto binding = bench.take_write<BindPod>();
  REQUIRE(binding);
  bench.done(binding->first);
  REQUIRE(bench.engine.status().reservations == 1);
  bench.wait();
  CHECK(bench.now >= start + Options{}.reservation_life);
  CHECK(bench.engine.status().reservations == 0);
}

TEST_CASE("an answer that comes after the pod's end wakes who waits for its devices") {
  Bench bench;
  bench.add_nodes(1, 1);
  auto claim = make_claim("a", 1);
  bench.tell(claim);
  bench.tell(make_claim("b", 1));
  auto pod = make_pod("pa", "a");
  bench.tell(pod);
  bench.tell(make_pod("pb", "b"));
  bench.lift(pod);
  (void)bench.filter(pod, {"n0"});
  bench.bind(pod, "n0", 1);
  const auto protect = bench.take_write<ProtectClaim>();
  REQUIRE(protect);
  claim.meta.finalizers = {claim_finalizer};
  claim.meta.resource_version = ResourceVersion("11");
  bench.done(protect->first, claim);
  const auto allocate = bench.take_write<AllocateClaim>();
  REQUIRE(allocate);
  claim.allocation = allocate->second.allocation;
  claim.reserved_for = allocate->second.reserved_for;
  claim.meta.resource_version = ResourceVersion("12");
  bench.done(allocate->first, claim);
  const auto binding = bench.take_write<BindPod>();
  REQUIRE(binding);
  // Bound, run, and given back, before the answer is there.
  bench.tell(claim);
  pod.scheduling_gates.clear();
  pod.node_name = NodeName("n0");
  pod.phase = "Succeeded";
  bench.tell(pod);
  claim.allocation.reset();
  claim.reserved_for.clear();
  claim.meta.resource_version = ResourceVersion("13");
  bench.tell(claim);
  CHECK_FALSE(bench.engine.pod({"default", "pb"})->placement);
  bench.done(binding->first);
  CHECK(bench.engine.pod({"default", "pb"})->placement);
}

TEST_CASE("a second bind of the same pod joins the first") {
  Bench bench;
  bench.add_nodes(1, 1);
  const auto pod = make_pod("p", "", false);
  bench.tell(pod);
  bench.bind(pod, "n0", 1);
  bench.bind(pod, "n0", 2);
  const auto binding = bench.take_write<BindPod>();
  REQUIRE(binding);
  CHECK_FALSE(bench.take_write<BindPod>());
  bench.done(binding->first);
  CHECK(bench.answers.size() == 2);
}

TEST_CASE("bind refuses what is not so") {
  Bench bench;
  bench.add_nodes(2, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c");
  bench.tell(pod);
  struct Row {
    std::string name;
    extender::BindRequest request;
    std::string want;
  };
  const auto row =
      GENERATE_COPY(Row{"unknown pod", {{"default", "x"}, Uid("x"), NodeName("n0")}, "not known"},
                    Row{"another uid", {pod.key(), Uid("x"), NodeName("n0")}, "another uid"},
                    Row{"another node",
                        {pod.key(), pod.meta.uid, NodeName("n1")},
                        "reserved for the pod on another"});
  DYNAMIC_SECTION(row.name) {
    bench.take(bench.engine.bind(RequestId(9), row.request, bench.now));
    REQUIRE(bench.answers.size() == 1);
    CHECK_THAT(bench.answers[0].error, Catch::Contains(row.want));
  }
}

TEST_CASE("without leadership nothing is decided or written") {
  Bench bench;
  bench.add_nodes(1, 1);
  bench.tell(make_claim("c", 1));
  const auto pod = make_pod("p", "c", false);
  bench.tell(pod);
  bench.apply(LeadershipChanged{false, 0});
  bench.writes.clear();
  CHECK(bench.filter(pod, {"n0"}).error == std::string(text(Reason::not_leader)));
  bench.bind(pod, "n0", 1);
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error == std::string(text(Reason::not_leader)));
  CHECK(bench.engine.status().reservations == 0);
  CHECK(bench.writes.empty());
}

TEST_CASE("after a restart a lifted pod keeps the node that it was promised") {
  Bench bench;
  bench.add_nodes(3, 1);
  bench.tell(make_claim("c", 1));
  auto pod = make_pod("p", "c", false);
  pod.meta.annotations["dray.dev/reservation"] = "n2";
  bench.tell(pod);
  CHECK(bench.engine.pod(pod.key())->placement->node == NodeName("n2"));
}

TEST_CASE("a claim left allocated by a crash keeps its node; on a refused node it is given back") {
  Bench bench;
  bench.add_nodes(2, 1);
  auto claim = make_claim("c", 1);
  AllocationResult allocation;
  AllocatedDevice device;
  device.request = "gpu";
  device.device = {DriverName("gpu.example.com"), PoolName("n1"), DeviceName("gpu-0")};
  allocation.devices = {device};
  allocation.node_selector =
      NodeSelector{{{.match_expressions = {}, .match_fields = {{"metadata.name", "In", {"n1"}}}}}};
  claim.allocation = allocation;
  claim.reserved_for = {{.api_group = "", .resource = "pods", .name = "p", .uid = Uid("uid-p")}};
  bench.tell(claim);
  const auto pod = make_pod("p", "c", false);
  bench.tell(pod);
  CHECK(bench.engine.pod(pod.key())->placement->node == NodeName("n1"));
  CHECK(bench.filter(pod, {"n0"}).node_names.empty());
  // kube-scheduler refuses n1, and the claim ties the pod to it: it must be freed.
  bench.tick();
  const auto read = bench.take_write<ReadPod>();
  REQUIRE(read);
  CHECK_FALSE(bench.take_write<ReleaseClaim>());
  bench.done(read->first, WrittenObject{pod});
  const auto release = bench.take_write<ReleaseClaim>();
  REQUIRE(release);
  CHECK(release->second.consumer == Uid("uid-p"));
  CHECK(release->second.deallocate);
}

}  // namespace
}  // namespace dray::engine::engine_test
