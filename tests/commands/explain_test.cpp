#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::explain_test {
namespace {

constexpr std::string_view pods = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: nine}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 9}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 1}}]}}}
---
apiVersion: v1
kind: Pod
metadata:
  name: big
  creationTimestamp: "2026-01-02T00:00:00Z"
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: training, uid: job-1, controller: true}]
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: nine}]
---
apiVersion: v1
kind: Pod
metadata: {name: small, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: one}]
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: site}
spec:
  containers: [{name: main, image: "pause:3.10"}]
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: "pause:3.10", resources: {requests: {cpu: "1"}}}]
)";

constexpr std::string_view policy = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources: {gpu: [{deviceClass: gpu.nvidia.com, amount: 1}]}
queues: [{name: all, limit: {gpu: 0}}]
podQueues: {otherwise: all}
)";

Ended explain(const std::vector<std::string>& more) {
  const TempFile file("pods.yaml", pods);
  std::vector<std::string> arguments{"explain", "-f", file.path(), "--cluster",
                                     "config/demo/cluster"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return dray(arguments);
}

}  // namespace

TEST_CASE("explain says first what decides, then the queue, the nodes and what would help") {
  const auto ended = explain({"big"});
  CHECK(ended.err.empty());
  CHECK(ended.status == 1);
  CHECK(
      ended.out ==
      R"(default/big waits: wants 9 devices of class gpu.nvidia.com on one node; the most that a node has is 8 (dgxa100-40 and 9 more)
  queue    default (no quotas and no limits are in force), number 2 of 2 jobs waiting there; ahead: default/small
  nodes that refuse it:
       36  wants 9 devices of class gpu.nvidia.com on one node; the most that a node has is 8 (dgxa100-40 and 9 more)
        6  the node has the taint google.com/tpu=present:NoSchedule, which the pod does not tolerate (tpu-v5e-0, tpu-v6e-0, tpu-v6e-4x4-0 and 3 more)
        2  the node has the taint cloud.google.com/compute-class=dray-gpu-fallback:NoSchedule, which the pod does not tolerate (gke-a2-high-0, gke-a2-ultra-0)
  what would help:
    - nobody's end helps, because nodes have too few such devices, used or free: ask for fewer on one node, or for another class, or add nodes; `dray match 'true' --class gpu.nvidia.com` shows what there is
)");
}

TEST_CASE("a job is asked about by its owner's name, and a pod with its namespace") {
  const auto by_owner = explain({"training"});
  CHECK(by_owner.status == 1);
  CHECK(by_owner.out.starts_with("default/big waits: "));
  CHECK(explain({"default/big"}).out == by_owner.out);
  CHECK(explain({"-n", "default", "big"}).out == by_owner.out);
}

TEST_CASE("a pod that would start, and those that are not dray's, are status 0") {
  const auto small = explain({"small"});
  CHECK(small.status == 0);
  CHECK(small.out.starts_with("default/small: would start now on gb200-r0-00: "));
  CHECK(small.out.contains("\n  device   gpu: gpu.nvidia.com/gb200-r0-00/gpu-0\n"));
  const auto web = explain({"-n", "site", "web"});
  CHECK(web.status == 0);
  CHECK(web.out ==
        "site/web is not dray's to place: it is of scheduler \"default-scheduler\", not of dray's "
        "\"dray-scheduler\"\n  what would help:\n    - if dray is to place it, make it anew with "
        "spec.schedulerName: dray-scheduler\n");
  const auto plain = explain({"plain"});
  CHECK(plain.status == 0);
  CHECK(plain.out.starts_with("default/plain is not dray's to place: it asks for no devices"));
}

TEST_CASE("a limit of the policy that keeps the pod out") {
  const TempFile file("policy.yaml", policy);
  const auto ended = explain({"small", "--policy", file.path()});
  CHECK(ended.status == 1);
  CHECK(ended.out.starts_with(
      "default/small waits: queue all holds 0 of its limit of 0 GPUs, and the job asks for 1 "
      "more\n"));
  CHECK(
      ended.out.contains("    - raise the limit of queue all from 0 to 1 GPUs: it then goes to "));
}

TEST_CASE("explain's JSON and YAML are the same") {
  const auto json = explain({"big", "-o", "json"});
  CHECK(json.status == 1);
  CHECK(json.out.starts_with(
      R"({"pod":"default/big","standing":"waits","reason":"ClassSelector","summary":"wants 9 )"));
  const auto yaml = explain({"big", "-o", "yaml"});
  CHECK(yaml.status == 1);
  CHECK(yaml.out.starts_with("pod: default/big\nstanding: waits\nreason: ClassSelector\n"));
}

TEST_CASE("explain: wide names the Reasons, name the pod alone") {
  const auto wide = explain({"big", "-o", "wide"});
  CHECK(wide.status == 1);
  CHECK(wide.out.contains("\n  reason   ClassSelector\n"));
  CHECK(wide.out.contains("\n       36  ClassSelector       wants 9 devices "));
  CHECK(wide.out.contains("\n        6  NodeTaint           the node has the taint "));
  const auto name = explain({"training", "-o", "name"});
  CHECK(name.status == 1);
  CHECK(name.out == "pod/default/big\n");
}

TEST_CASE("explain's status says what was wrong with the question") {
  struct Row {
    std::string name;
    std::vector<std::string> arguments;
    int status;
    std::string want;
  };
  const TempFile broken("broken.yaml", "kind: Policy\n  x");
  const auto row = GENERATE(
      Row{"a pod that there is not",
          {"smal"},
          2,
          "there is no pod or job default/smal; did you mean small?"},
      Row{"one of another namespace",
          {"web"},
          2,
          "there is no pod or job default/web; did you mean site/web?"},
      Row{"a namespace without pods",
          {"x", "-n", "none"},
          2,
          "there is no pod or job none/x; there are no pods in namespace none, see -n"},
      Row{"a namespace that is nearly right",
          {"x", "-n", "defaul"},
          2,
          "there is no pod or job defaul/x; there are no pods in namespace defaul; did you mean "
          "default?"},
      Row{"two namespaces",
          {"a/x", "-n", "b"},
          2,
          "a/x is not in namespace b: leave out one of them"},
      Row{"a policy that cannot be read", {"big", "--policy", "BROKEN"}, 4, "broken.yaml: "},
      Row{"a policy that is not there", {"big", "--policy", "/no/such"}, 2, "/no/such: "});
  DYNAMIC_SECTION(row.name) {
    auto arguments = row.arguments;
    for (auto& each : arguments) each = replaced(each, "BROKEN", broken.path());
    const auto ended = explain(arguments);
    CHECK(ended.status == row.status);
    CHECK(ended.out.empty());
    CHECK(ended.err.starts_with("dray explain: "));
    CHECK(ended.err.contains(row.want));
  }
}

TEST_CASE("explain: a command line that is wrong is 2, a cluster that does not answer 3") {
  CHECK(dray({"explain"}).status == 2);
  CHECK(dray({"explain", "x", "-o", "xml"}).status == 2);
  CHECK(dray({"explain", "x", "-f", "/no/such.yaml"}).status == 2);
  const TempFile config("config", R"(apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
current-context: c
)");
  const auto ended = dray({"explain", "x", "--kubeconfig", config.path()});
  CHECK(ended.status == 3);
  CHECK(ended.out.empty());
}

}  // namespace dray::commands_test::explain_test
