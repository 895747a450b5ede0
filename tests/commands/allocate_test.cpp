#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::allocate_test {
namespace {

constexpr std::string_view cluster = "config/demo/cluster";

/// A pod that gets two GPUs, and one whose template is not there.
constexpr std::string_view pods = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: two}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: small}
spec:
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: two}]
---
apiVersion: v1
kind: Pod
metadata: {name: unknown}
spec:
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: three}]
)";

/// Without the pod that gets none.
std::string_view placed_pods() {
  return pods.substr(0, pods.rfind("---\n"));
}

Ended allocate(const std::string& file, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"allocate", "-f", file, "--cluster", std::string(cluster)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return dray(arguments);
}

}  // namespace

TEST_CASE("allocate shows every pod of the file; one that waits is status 2") {
  const TempFile file("pods.yaml", pods);
  const auto ended = allocate(file.path());
  CHECK(ended.status == 1);
  CHECK(ended.err.empty());
  CHECK(
      ended.out ==
      "POD                      NODE             DEVICES                                      WHY\n"
      "default/small            gb200-r0-00      gpu: gpu-0 gpu-1                             "
      "its 2 gpu on one NUMA node; the fullest with room (of 44 nodes)\n"
      "default/unknown          -                -                                            "
      "dray: a ResourceClaim of the pod does not exist yet (claim for gpus)\n");
}

TEST_CASE("allocate: all get devices, status 0; the standard input is a file, too") {
  const TempFile file("pods.yaml", placed_pods());
  const auto from_file = allocate(file.path());
  CHECK(from_file.status == 0);
  CHECK(lines(from_file.out).size() == 2);
  const auto from_input =
      dray({"allocate", "-f", "-", "--cluster", std::string(cluster)}, placed_pods());
  CHECK(from_input.status == 0);
  CHECK(from_input.out == from_file.out);
}

TEST_CASE("allocate on one node, as kube-scheduler would, with what is said of the node") {
  const TempFile file("pods.yaml", placed_pods());
  const auto ended =
      allocate(file.path(), {"--node", "dgxh100-03", "--mode", "first-fit", "--explain"});
  CHECK(ended.status == 0);
  CHECK(ended.out.contains("default/small            dgxh100-03       gpu: gpu-0 gpu-1  "));
  CHECK(ended.out.contains("\n    dgxh100-03: fits (score 0)\n"));
}

TEST_CASE("allocate: wide names each device whole, name those that get some") {
  const TempFile file("pods.yaml", pods);
  const auto wide = allocate(file.path(), {"-o", "wide"});
  CHECK(wide.status == 1);
  CHECK(
      wide.out.contains("\n    gpu: gpu.nvidia.com/gb200-r0-00/gpu-0\n    gpu: "
                        "gpu.nvidia.com/gb200-r0-00/gpu-1\ndefault/unknown "));
  const auto names = allocate(file.path(), {"-o", "name"});
  CHECK(names.status == 1);
  CHECK(names.out == "pod/default/small\n");
}

TEST_CASE("allocate's JSON and YAML have the allocation in the form of the API") {
  const TempFile file("pods.yaml", pods);
  const auto json = allocate(file.path(), {"-o", "json"});
  CHECK(json.status == 1);
  CHECK(json.out.starts_with(
      R"({"mode":"best","pods":[{"pod":"default/small","node":"gb200-r0-00","claims":[{"claim":)"
      R"("default/small-gpus","allocation":{"devices":{"results":[{"request":"gpu","driver":)"
      R"("gpu.nvidia.com","pool":"gb200-r0-00","device":"gpu-0"})"));
  CHECK(json.out.ends_with(
      R"({"pod":"default/unknown","node":null,"reason":"ClaimMissing","message":"dray: a )"
      R"(ResourceClaim of the pod does not exist yet","detail":"claim for gpus"}]})"
      "\n"));
  const auto yaml = allocate(file.path(), {"-o", "yaml"});
  CHECK(yaml.status == 1);
  CHECK(yaml.out.starts_with("mode: best\npods:\n- pod: default/small\n  node: gb200-r0-00\n"));
  CHECK(yaml.out.contains("\n          device: gpu-1\n"));
}

TEST_CASE("allocate says what is wrong with its input") {
  const TempFile file("pods.yaml", pods);
  const TempFile broken("broken.yaml",
                        "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: 5}\n");
  struct Row {
    std::string name;
    std::vector<std::string> arguments;
    std::string want;
  };
  const auto row =
      GENERATE(Row{"a pod that does not decode",
                   {"-f", "BROKEN", "--cluster", std::string(cluster)},
                   "BROKEN:4: Pod x: spec.containers: expected a list, not a number"},
               Row{"a cluster that does not decode",
                   {"-f", "PODS", "--cluster", "BROKEN"},
                   "BROKEN:4: Pod x: spec.containers: expected a list, not a number"},
               Row{"a file that is not there",
                   {"-f", "/no/such.yaml", "--cluster", std::string(cluster)},
                   "/no/such.yaml: cannot be read: no such file or directory"},
               Row{"a node that there is not",
                   {"-f", "PODS", "--cluster", std::string(cluster), "--node", "zzz"},
                   "--node: the cluster has no node zzz"},
               Row{"nobody who asks",
                   {"-f", "config/demo/cluster", "--cluster", std::string(cluster)},
                   "-f: no Pod, ResourceClaim or ResourceClaimTemplate in it"},
               Row{"a gate that there is not",
                   {"-f", "PODS", "--cluster", std::string(cluster), "--feature-gates", "Foo=true"},
                   "--feature-gates: \"Foo=true\" is none; write DRADeviceTaints=true"});
  DYNAMIC_SECTION(row.name) {
    const auto fill = [&](const std::string& text) {
      return replaced(replaced(text, "BROKEN", broken.path()), "PODS", file.path());
    };
    std::vector<std::string> arguments{"allocate"};
    for (const auto& each : row.arguments) arguments.push_back(fill(each));
    const auto ended = dray(arguments);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err == "dray allocate: " + fill(row.want) + "\n");
  }
}

}  // namespace dray::commands_test::allocate_test
