#include <catch2/catch.hpp>
#include <string>

#include "tests/commands/child.h"
#include "tests/commands/manifests.h"

namespace dray::commands_test::inspect_test {
namespace {

/// a/r0 has n0's g0, a/w0 waits.
constexpr std::string_view pods = R"(---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: r0, namespace: a, uid: c-r0}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
status:
  reservedFor: [{resource: pods, name: r0, uid: r0}]
  allocation:
    devices: {results: [{request: gpu, driver: gpu.example.com, pool: n0, device: g0}]}
---
apiVersion: v1
kind: Pod
metadata: {name: r0, namespace: a, uid: r0}
spec:
  schedulerName: dray-scheduler
  nodeName: n0
  containers: [{name: main, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: r0}]
status: {phase: Running}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: w0, namespace: a}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 2}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: w0, namespace: a}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: w0}]
)";

constexpr std::string_view policy = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources: {gpu: [{deviceClass: gpu, amount: 1}]}
queues:
  - {name: all, quota: {gpu: 2}, limit: {gpu: 4}}
  - {name: a, parent: all, quota: {gpu: 2}, priority: 200}
  - {name: b, parent: all}
podQueues: {namespaces: {a: a}, otherwise: b}
)";

/// Two nodes with two devices each, one of them tainted, and the pods.
std::string cluster() {
  return node_with("n0", "[{name: g0, attributes: {model: {string: H100}}}, {name: g1}]") +
         node_with("n1", "[{name: g0}, {name: g1, taints: [{key: broken, effect: NoSchedule}]}]") +
         class_of("gpu", "gpu.example.com") + std::string(pods);
}

Ended inspect(std::vector<std::string> arguments, std::string_view of_policy = policy) {
  const TempFile objects("cluster.yaml", cluster());
  const TempFile file("policy.yaml", of_policy);
  for (auto& each : arguments) each = replaced(each, "POLICY", file.path());
  arguments.insert(arguments.end(), {"--cluster", objects.path()});
  return dray(arguments);
}

}  // namespace

TEST_CASE("queues lists the tree with what each holds, may hold and wants") {
  const auto table = inspect({"queues", "--policy", "POLICY"});
  CHECK(table.err.empty());
  CHECK(table.status == 0);
  CHECK(table.out == R"(QUEUE  RESOURCE  QUOTA  FAIR SHARE  USED  WANTS  WAITING  RUNNING
all    gpu           2           3     1      3        1        1
a      gpu           2           3     1      3        1        1
b      gpu           0           0     0      0        0        0
)");
  const auto wide = inspect({"queues", "a", "--policy", "POLICY", "-o", "wide"});
  CHECK(
      wide.out ==
      R"(QUEUE  RESOURCE  QUOTA  FAIR SHARE  USED  WANTS  WAITING  RUNNING  LIMIT  PARENT  PRIORITY
a      gpu           2           3     1      3        1        1      -  all          200
)");
  const auto json = inspect({"queues", "all", "--policy", "POLICY", "-o", "json"});
  CHECK(json.out == R"({"items":[{"queue":"all","resource":"gpu","quota":2,"fairShare":3,)"
                    R"("used":1,"wants":3,"waiting":1,"running":1,"limit":4,"priority":100}]})"
                    "\n");
  CHECK(inspect({"queues", "--policy", "POLICY", "-o", "name"}).out ==
        "queue/all\nqueue/a\nqueue/b\n");
}

TEST_CASE("without a policy there is one queue, of which nothing is counted") {
  const auto ended = inspect({"queues"});
  CHECK(ended.status == 0);
  CHECK(ended.out.contains(
      "\ndefault  -             -           -     -      -        1        1\n"));
}

TEST_CASE("devices lists each with its claim, pod and queue") {
  const auto table = inspect({"devices", "--policy", "POLICY"});
  CHECK(table.err.empty());
  CHECK(table.status == 0);
  CHECK(table.out == R"(DEVICE                 NODE  STATE    CLAIM  POD   QUEUE
gpu.example.com/n0/g0  n0    in-use   a/r0   a/r0  a
gpu.example.com/n0/g1  n0    free     -      -     -
gpu.example.com/n1/g0  n1    free     -      -     -
gpu.example.com/n1/g1  n1    tainted  -      -     -
)");
  CHECK(inspect({"devices", "--state", "free", "-o", "name"}).out ==
        "device/gpu.example.com/n0/g1\ndevice/gpu.example.com/n1/g0\n");
  CHECK(inspect({"devices", "--node", "n1", "n1/g1", "-o", "wide"})
            .out.contains("broken:NoSchedule\n"));
  CHECK(inspect({"devices", "n0/g0", "-o", "json"}).out ==
        R"({"items":[{"device":"gpu.example.com/n0/g0","node":"n0","state":"in-use",)"
        R"("claim":"a/r0","pod":"a/r0","queue":"default","product":"H100"}]})"
        "\n");
}

TEST_CASE("top shows the busiest nodes, drivers and jobs") {
  CHECK(inspect({"top"}).out ==
        R"(NODE  DRIVER           USED  SHARED  FREE  TAINTED  BLOCKED  ALL  BUSY%
n0    gpu.example.com     1       0     1        0        0    2     50
n1    gpu.example.com     0       0     1        1        0    2      0
)");
  CHECK(
      inspect({"top", "drivers", "-o", "wide"}).out ==
      R"(DRIVER           USED  SHARED  FREE  TAINTED  BLOCKED  ALL  BUSY%  LEFT OVER  MOST ON ONE NODE
gpu.example.com     1       0     2        1        0    4     25          1                 1
)");
  CHECK(inspect({"top", "jobs", "--policy", "POLICY"}).out ==
        "JOB   QUEUE  DEVICES  PODS  NODES\na/r0  a            1     1      1\n");
}

TEST_CASE("partitions of a card that others take of are blocked, and not free") {
  constexpr std::string_view card = R"(---
apiVersion: v1
kind: Node
metadata: {name: n0}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: card}
spec:
  driver: gpu.example.com
  nodeName: n0
  pool: {name: n0, generation: 1, resourceSliceCount: 1}
  sharedCounters: [{name: card, counters: {memory: {value: 4Gi}}}]
  devices:
  - {name: half, consumesCounters: [{counterSet: card, counters: {memory: {value: 2Gi}}}]}
  - {name: g0, consumesCounters: [{counterSet: card, counters: {memory: {value: 2Gi}}}]}
  - {name: whole, consumesCounters: [{counterSet: card, counters: {memory: {value: 4Gi}}}]}
)";
  const TempFile objects("cluster.yaml", std::string(card) + std::string(pods));
  CHECK(dray({"devices", "--state", "blocked", "-o", "name", "--cluster", objects.path()}).out ==
        "device/gpu.example.com/n0/whole\n");
  CHECK(dray({"top", "--cluster", objects.path()}).out ==
        R"(NODE  DRIVER           USED  SHARED  FREE  TAINTED  BLOCKED  ALL  BUSY%
n0    gpu.example.com     1       0     1        0        1    3     33
)");
}

TEST_CASE("what there is not is an error that names what is near") {
  struct Row {
    std::vector<std::string> arguments;
    int status;
    std::string want;
  };
  const auto row = GENERATE(
      Row{{"queues", "al", "--policy", "POLICY"},
          2,
          "dray queues: there is no queue al; there are all, a, b\n"},
      Row{{"devices", "--node", "n2"}, 2, "dray devices: --node: the cluster has no node n2\n"},
      Row{{"devices", "--driver", "gpu.exampel.com"}, 2, "; did you mean gpu.example.com?\n"},
      Row{{"devices", "g7"}, 2, "dray devices: no device goes by g7\n"},
      Row{{"top", "pods"}, 2, "of: pods not in {nodes,drivers,jobs}"},
      Row{{"top", "--policy", "/no/such"},
          2,
          "dray top: /no/such: cannot be read: no such file or directory\n"});
  DYNAMIC_SECTION(row.arguments.back()) {
    const auto ended = inspect(row.arguments);
    CHECK(ended.status == row.status);
    CHECK(ended.out.empty());
    CHECK(ended.err.contains(row.want));
  }
  CHECK(inspect({"queues", "--policy", "POLICY"}, "kind: Policy\n").status == 4);
}

TEST_CASE("slices of a node that is not there are told, and not listed") {
  const auto one = node_with("n0", "[{name: g0}]");
  const auto slice = one.substr(one.find("kind: ResourceSlice"));
  const auto ended =
      dray({"devices", "-f", "-", "-o", "name"}, "apiVersion: resource.k8s.io/v1\n" + slice);
  CHECK(ended.status == 0);
  CHECK(ended.out.empty());
  CHECK(ended.err ==
        "dray devices: warning: there are ResourceSlices of a node that the cluster does not have, "
        "and whose devices are not counted: n0\n");
  CHECK(dray({"devices", "-f", "-"}, one).err.empty());
}

}  // namespace dray::commands_test::inspect_test
