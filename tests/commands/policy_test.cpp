#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/commands/child.h"
#include "tests/commands/manifests.h"

namespace dray::commands_test::policy_test {
namespace {

/// A pod NAME of namespace SPACE and its claim; both end where a status or a place is added.
constexpr std::string_view claim_of_pod = R"(---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: NAME, namespace: SPACE, uid: c-NAME}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}
)";
constexpr std::string_view held = R"(status:
  reservedFor: [{resource: pods, name: NAME, uid: NAME}]
  allocation:
    devices: {results: [{request: gpu, driver: gpu.example.com, pool: n0, device: DEVICE}]}
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n0]}]}]}
)";
constexpr std::string_view pod = R"(---
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: SPACE, uid: NAME, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: NAME}]
)";
constexpr std::string_view waits = R"(  schedulingGates: [{name: dray.dev/admission}]
status: {phase: Pending}
)";
constexpr std::string_view runs = R"(  nodeName: n0
status:
  phase: Running
  startTime: "2026-01-01T00:00:00Z"
  conditions: [{type: PodScheduled, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]
)";

/// It runs on the device; without one it waits.
std::string pod_of(std::string_view space, std::string_view name, std::string_view device = {}) {
  auto text = std::string(claim_of_pod);
  if (!device.empty()) text += held;
  text += pod;
  text += device.empty() ? waits : runs;
  text = replaced(std::move(text), "NAME", name);
  return replaced(replaced(std::move(text), "SPACE", space), "DEVICE", device);
}

/// A node with three devices; of queue a two pods run, of queue b two wait.
std::string cluster() {
  return node_with("n0", "[{name: g0}, {name: g1}, {name: g2}]") +
         class_of("gpu", "gpu.example.com") + pod_of("a", "r0", "g0") + pod_of("a", "r1", "g1") +
         pod_of("b", "w0") + pod_of("b", "w1");
}

constexpr std::string_view head = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources: {gpu: [{deviceClass: gpu, amount: 1}]}
)";

std::string one_queue(const std::string& limit = "{}") {
  return std::string(head) + "queues: [{name: all, limit: " + limit +
         "}]\npodQueues: {otherwise: all}\n";
}

std::string two_queues() {
  return std::string(head) + R"(queues: [{name: a, quota: {gpu: 1}}, {name: b, quota: {gpu: 2}}]
podQueues: {namespaces: {a: a, b: b}}
reclaim: {enabled: true}
)";
}

Ended simulate(const std::string& current, const std::string& tried,
               std::vector<std::string> more = {}) {
  const TempFile snapshot("cluster.yaml", cluster());
  const TempFile in_force("current.yaml", current);
  const TempFile other("new.yaml", tried);
  std::vector<std::string> arguments{"policy",    "simulate",      "--snapshot", snapshot.path(),
                                     "--current", in_force.path(), "--policy",   other.path()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return dray(arguments);
}

TEST_CASE("a policy that decides the same changes nothing") {
  const auto ended = simulate(one_queue(), one_queue());
  CHECK(ended.err.empty());
  CHECK(ended.out == "No job would fare otherwise at once.\n");
  CHECK(ended.status == 0);
}

TEST_CASE("who would be evicted comes first, then who gets the room, with both sides") {
  const auto ended = simulate(one_queue(), two_queues());
  CHECK(ended.err.empty());
  CHECK(ended.status == 1);
  CHECK(ended.out == R"(AT ONCE         JOBS   PODS
evicted            1      1
unblocked          1      1

QUEUE  RESOURCE    FAIR SHARE    WOULD BE      HOLDS      WANTS
a      gpu                  -           1          2          2
all    gpu                  3           -          2          4
b      gpu                  -           2          0          2

evicted a/r1 (queue all, then a, 1 pod)
  was:   runs on n0
  would: is evicted: Reclaim for b/w1: a/r1 of queue a makes room for a job of 1 pod of another queue

unblocked b/w1 (queue all, then b, 1 pod)
  was:   waits: too few matching devices are free: wants 1 device of class gpu on one node; the most that a node has left is 0 of 3: 3 in use (n0)
  would: starts on n0 once others have left
)");
}

TEST_CASE("the other way round a victim is spared") {
  const auto ended = simulate(two_queues(), one_queue(), {"-o", "json"});
  CHECK(ended.status == 1);
  const auto wait = ended.out.find(
      R"({"change":"newly-waiting","job":"b/w1","pods":1,"queue":"b","newQueue":"all",)");
  const auto spared = ended.out.find(R"({"change":"spared","job":"a/r1",)");
  REQUIRE(wait != std::string::npos);
  REQUIRE(spared != std::string::npos);
  CHECK(wait < spared);
  CHECK(ended.out.contains(R"({"queue":"b","resource":"gpu","was":2,"holds":0,"wants":2})"));
}

TEST_CASE("a limit keeps out who would start, and gives another reason to who waits anyway") {
  const auto ended = simulate(one_queue(), one_queue("{gpu: 2}"));
  CHECK(ended.status == 1);
  CHECK(ended.out.contains(
      "newly-waiting b/w0 (queue all, 1 pod)\n  was:   starts on n0\n  would: waits: "));
  CHECK(ended.out.contains("other-reason b/w1 (queue all, 1 pod)\n"));
  const auto back = simulate(one_queue("{gpu: 2}"), one_queue());
  CHECK(back.out.contains("admitted b/w0 (queue all, 1 pod)\n"));
}

TEST_CASE("without --current no policy is in force") {
  const auto ended = dray({"policy", "simulate", "--snapshot", TempFile("c.yaml", cluster()).path(),
                           "--policy", TempFile("p.yaml", one_queue("{gpu: 2}")).path()});
  CHECK(ended.out.contains("newly-waiting b/w0 (queue default, then all, 1 pod)\n"));
}

TEST_CASE("a job that has run too short a time to be taken back from stays, at that time") {
  auto patient = two_queues();
  patient.replace(patient.find("enabled: true"), 13, "enabled: true, minRuntime: 1h");
  const auto early = simulate(one_queue(), patient, {"--at", "2026-01-01T00:30:00Z"});
  CHECK_FALSE(early.out.contains("evicted"));
  const auto late = simulate(one_queue(), patient, {"--at", "2026-01-01T01:30:00Z"});
  CHECK(late.out.contains("evicted a/r1"));
}

TEST_CASE("manifests will do: claims are made from their templates") {
  const auto ended = dray({"policy", "simulate", "--cluster", "config/demo/cluster", "-f",
                           "config/demo/workload.yaml", "--policy", "config/demo/policy.yaml"});
  CHECK(ended.err.empty());
  CHECK(ended.status == 1);
  CHECK(ended.out.contains("\nnewly-waiting "));
}

TEST_CASE("what cannot be used is an error that names the file") {
  struct Row {
    std::string name;
    std::string current;
    std::string tried;
    std::vector<std::string> more;
    int status;
    std::string want;
  };
  const auto row =
      GENERATE(Row{"a key that there is not",
                   one_queue(),
                   one_queue() + "qeues: []\n",
                   {},
                   4,
                   "new.yaml: 6:1: qeues: no such field; did you mean queues?"},
               Row{"in the current one", "kind: Policy\n  x", one_queue(), {}, 4, "current.yaml: "},
               Row{"a time that is none", one_queue(), one_queue(), {"--at", "noon"}, 2, "--at: "});
  DYNAMIC_SECTION(row.name) {
    const auto ended = simulate(row.current, row.tried, row.more);
    CHECK(ended.status == row.status);
    CHECK(ended.out.empty());
    CHECK(ended.err.contains(row.want));
  }
}

}  // namespace
}  // namespace dray::commands_test::policy_test
