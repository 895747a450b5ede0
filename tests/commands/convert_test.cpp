#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

#include "tests/commands/child.h"
#include "tests/commands/manifests.h"

namespace dray::commands_test::convert_test {
namespace {

constexpr std::string_view job = R"(# trains
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-a}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: a
        resources: {limits: {cpu: "1", nvidia.com/gpu: 2}, requests: {nvidia.com/gpu: 2}}
      - {name: side, image: b}
)";

constexpr std::string_view job_converted = R"(kind: ResourceClaimTemplate
apiVersion: resource.k8s.io/v1
metadata:
  name: train-devices
  namespace: team-a
spec:
  metadata: {}
  spec:
    devices:
      requests:
      - name: main
        exactly:
          deviceClassName: gpu.nvidia.com
          allocationMode: ExactCount
          count: 2
---
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: team-a
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: a
        resources:
          limits:
            cpu: "1"
          claims:
          - name: devices
            request: main
      - name: side
        image: b
      resourceClaims:
      - name: devices
        resourceClaimTemplateName: train-devices
)";

/// A pod of one container with these limits.
std::string pod_with(const std::string& name, const std::string& limits,
                     const std::string& more = {}) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {" + more +
         "containers: [{name: main, image: a, resources: {limits: {" + limits + "}}}]}\n";
}

/// A card of 40Gi of which parts can be had, and whole GPUs.
std::string cluster() {
  return node_with("n0",
                   "[{name: c0, allowMultipleAllocations: true, capacity: {memory: {value: 40Gi}, "
                   "cores: {value: \"100\"}}}]",
                   "card.example.com") +
         class_of("card.example.com", "card.example.com") +
         "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: whole}\nspec: "
         "{extendedResourceName: nvidia.com/gpu}\n";
}

constexpr std::string_view policy = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
fractions: {deviceClass: card.example.com, memory: memory, others: [cores]}
)";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("convert puts a claim in place of whole devices, and leaves the rest") {
  const TempFile file("job.yaml", job);
  const auto ended =
      dray({"convert", "-f", file.path(), "--class", "nvidia.com/gpu=gpu.nvidia.com"});
  CHECK(ended.status == 0);
  CHECK(ended.out == job_converted);
  CHECK(ended.err == "dray convert: " + file.path() +
                         ":2: Job team-a/train: spec.template: ResourceClaimTemplate "
                         "train-devices in place of nvidia.com/gpu of container main\n");
  // What came out has nothing left to convert.
  const TempFile again("again.yaml", ended.out);
  const auto second = dray({"convert", "-f", again.path()});
  CHECK(second.status == 0);
  CHECK(second.err.empty());
  CHECK(second.out == ended.out);
}

TEST_CASE("convert asks the cluster for classes and sizes, and the policy for parts") {
  const TempFile objects("cluster.yaml", cluster());
  const TempFile rules("policy.yaml", policy);
  const TempFile pods(
      "pods.yaml", pod_with("hami", "nvidia.com/gpumem-percentage: 25, nvidia.com/gpucores: 30") +
                       pod_with("gpushare", "aliyun.com/gpu-mem: 3") +
                       pod_with("whole", "nvidia.com/gpu: 1"));
  const auto ended = dray({"convert", "-f", pods.path(), "--cluster", objects.path(), "--policy",
                           rules.path(), "--scheduler", "dray-scheduler"});
  CHECK(ended.status == 0);
  CHECK(has(ended.out,
            "deviceClassName: card.example.com\n          allocationMode: ExactCount\n"
            "          count: 1\n          capacity:\n            requests:\n"
            "              cores: \"30\"\n              memory: \"10Gi\"\n"));
  CHECK(has(ended.out, "              cores: \"0\"\n              memory: \"3Gi\"\n"));
  CHECK(has(ended.out, "deviceClassName: whole\n"));
  CHECK(has(ended.out, "schedulerName: dray-scheduler\n"));
  CHECK_FALSE(has(ended.out, "nvidia.com/"));
  CHECK_FALSE(has(ended.out, "aliyun.com/"));
}

TEST_CASE("convert finds pod templates in lists and in kinds that nobody told it of") {
  const TempFile file("set.json", R"({"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "set"}, "spec": {"replicatedJobs": [
  {"name": "a", "template": {"spec": {"template": {"spec": {"containers": [
    {"name": "m", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}},
  {"name": "b", "template": {"spec": {"template": {"spec": {"containers": [
    {"name": "m", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]}}}}}]}}]}
)");
  const auto ended = dray({"convert", "-f", file.path(), "--class", "nvidia.com/gpu=gpu"});
  CHECK(ended.status == 0);
  const auto said = lines(ended.err);
  REQUIRE(said.size() == 2);
  CHECK(has(said[0],
            ":1: JobSet set: spec.replicatedJobs[0].template.spec.template: "
            "ResourceClaimTemplate set-devices-0 in place of"));
  CHECK(has(ended.out, "name: set-devices-1\n"));
  CHECK(has(ended.out, "count: 4\n"));
}

TEST_CASE("convert keeps an object whose kind only ends like a list's, and whose name is long") {
  const std::string name(250, 'n');
  const TempFile file("kinds.yaml",
                      "kind: AllowList\nmetadata: {name: a}\nspec: {items: 3}\n---\n"
                      "kind: BlockList\nmetadata: {name: b}\nitems: 7\n" +
                          pod_with(name, "nvidia.com/gpu: 1, example.com/odd: 1"));
  const auto ended = dray({"convert", "-f", file.path(), "--class", "nvidia.com/gpu=gpu", "--class",
                           "example.com/odd=odd"});
  CHECK(ended.status == 0);
  CHECK(has(ended.out, "kind: AllowList\n"));
  CHECK(has(ended.out, "items: 7\n"));
  CHECK(has(ended.out, "name: " + std::string(245, 'n') + "-devices\n"));
  CHECK(has(ended.out, "- name: main-2\n"));
}

TEST_CASE("convert leaves what it cannot say in a claim, tells why, and ends with 1") {
  const TempFile pods(
      "pods.yaml",
      pod_with("none", "example.com/odd: 1") + pod_with("part", "nvidia.com/gpumem: 100") +
          pod_with("half", "nvidia.com/gpu: 500m") +
          pod_with("init", "cpu: 1",
                   "initContainers: [{name: first, resources: {limits: {nvidia.com/gpu: 1}}}], ") +
          pod_with("bound", "nvidia.com/gpu: 1, nvidia.com/gpucores: 130") +
          pod_with("good", "nvidia.com/gpu: 1"));
  const auto ended = dray({"convert", "-f", pods.path(), "--class", "nvidia.com/gpu=gpu"});
  CHECK(ended.status == 1);
  const auto said = lines(ended.err);
  REQUIRE(said.size() == 6);
  // What could be converted is told first.
  CHECK(has(said[0], "Pod good: ResourceClaimTemplate good-devices"));
  CHECK(has(said[1], "not converted: " + pods.path() +
                         ":2: Pod none: container main: example.com/odd: no DeviceClass stands "
                         "behind it; --class example.com/odd=NAME"));
  CHECK(has(said[2], "Pod part: container main asks for a part of a device: --policy FILE"));
  CHECK(has(said[3], "Pod half: container main: nvidia.com/gpu: 500m is no whole number"));
  CHECK(has(said[4], "Pod init: init container first asks for nvidia.com/gpu"));
  CHECK(has(said[5], "nvidia.com/gpucores: 130 is no whole number from 0 to 100"));
  CHECK(has(ended.out, "nvidia.com/gpumem: 100\n"));
}

TEST_CASE("convert -w changes the files that need it, and none if one cannot be read") {
  const TempFile file("job.yaml", job);
  const TempFile other("other.yaml", "# stays\n" + pod_with("p", "cpu: 1"));
  const TempFile broken("broken.yaml", "kind: [\n");
  const std::vector<std::string> command{
      "convert", "-w",        "--class", "nvidia.com/gpu=gpu.nvidia.com",
      "-f",      file.path(), "-f",      other.path()};
  auto wrong = command;
  wrong.insert(wrong.end(), {"-f", broken.path()});
  CHECK(dray(wrong).status == 2);
  CHECK(content(file.path()) == job);
  const auto ended = dray(command);
  CHECK(ended.status == 0);
  CHECK(ended.out == file.path() + "\n");
  CHECK(content(file.path()) == job_converted);
  CHECK(content(other.path()).starts_with("# stays\n"));
}

TEST_CASE("convert names what is wrong with its input") {
  const TempFile file("job.yaml", job);
  const TempFile rules("policy.yaml",
                       "apiVersion: dray.dev/v1alpha1\nkind: Policy\nfraction: {}\n");
  const TempFile quantity("q.yaml", pod_with("p", "nvidia.com/gpu: much"));
  auto ended = dray({"convert", "-f", file.path(), "--class", "gpu"});
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "--class gpu: give RESOURCE=DEVICECLASS"));
  ended = dray({"convert", "-f", file.path(), "--policy", rules.path()});
  CHECK(ended.status == 4);
  CHECK(has(ended.err, "fraction"));
  ended = dray({"convert", "-f", quantity.path()});
  CHECK(ended.status == 2);
  CHECK(has(ended.err, quantity.path() + ":2: Pod p: container main: nvidia.com/gpu: "));
  ended = dray({"convert", "-f", "-", "-w"}, job);
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "-w writes YAML files"));
  CHECK(dray({"convert"}).status == 2);
}

}  // namespace dray::commands_test::convert_test
