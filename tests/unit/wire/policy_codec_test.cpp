#include "wire/policy/policy_codec.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "wire/policy/policy_shape.h"

namespace dray::wire::policy_codec_test {

namespace {

using namespace std::chrono_literals;

/// Every field of the form, each with a value that is not its default. One field a line.
constexpr auto everything = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
queuesFrom: file
resources:
  gpu:
    - deviceClass: gpu.nvidia.com
      amount: 2
    - deviceClass: mig.nvidia.com
      capacity: memory
      per: 80Gi
    - nodeResource: nvidia.com/gpu
queues:
  - name: science
    quota: {gpu: 16, memory: unlimited}
    limit: {gpu: 32}
    overQuotaWeight: 2
  - name: physics
    parent: science
    priority: 200
    quota:
      gpu: 8
    limit:
      cpu: 500m
    overQuotaWeight:
      gpu: 0.5
    preemptMinRuntime: 5m
    reclaimMinRuntime: 1h
    placement:
      gpu: spread
podQueues:
  labels: [team]
  namespaces:
    lab: physics
  otherwise: physics
placement:
  gpu: spread
shares: spread
fractions:
  deviceClass: hami-core-gpu.project-hami.io
  memory: example.com/memory
  others: [cores]
  distinct: example.com/uuid
alignment:
  prefer: [numa]
  require: [resource.kubernetes.io/pcieRoot]
  aliases:
    numa: [resource.kubernetes.io/numaNode]
topology: [topology.kubernetes.io/zone]
fairness:
  halfLife: 7d
  strength: 0.5
aging: 1h
gangs:
  staleAfter: 30s
  reserveAfter: 5m
preemption:
  enabled: true
  minRuntime: 10s
reclaim:
  enabled: true
  saturationMultiplier: 1.5
  minRuntime: 20s
  minRuntimeFrom: queue
consolidation:
  enabled: true
  maxJobs: 4
budgets:
  jobs: 10
  nodesTried: 20
  evictions: 30
  evictionsPerQueue: 40
  victimCooldown: 50s
  exposedJobs: 60
nodeGroups:
  - name: h100
    maxNodes: 16
    like: gpu-node-1
    node: {metadata: {labels: {pool: "7"}}, status: {allocatable: {cpu: 96, memory: 1Ti, pods: 110}}}
    slices: [{spec: {driver: gpu.nvidia.com, pool: {name: gpus}, devices: [{name: gpu-0}]}}]
)";

std::string file_with(const std::string& rest) {
  return "apiVersion: dray.dev/v1alpha1\nkind: Policy\n" + rest;
}

std::vector<std::string> texts(const PolicyFile& file) {
  std::vector<std::string> texts;
  for (const auto& problem : file.problems) texts.push_back(problem.to_string());
  return texts;
}

policy::QueueConfig physics() {
  policy::QueueConfig queue;
  queue.name = policy::QueueName("physics");
  queue.parent = policy::QueueName("science");
  queue.priority = 200;
  queue.quota["gpu"] = Quantity(8);
  queue.limit["cpu"] = Quantity::from_milli(500);
  queue.over_quota_weight.by_resource["gpu"] = Quantity::from_milli(500);
  queue.preempt_min_runtime = 5min;
  queue.reclaim_min_runtime = 1h;
  queue.placement["gpu"] = policy::PlacementStrategy::spread;
  return queue;
}

}  // namespace

TEST_CASE("a policy file says all that it may") {
  const auto file = read_policy(everything);
  CHECK(texts(file).empty());
  REQUIRE(file.config);
  const auto& config = *file.config;
  REQUIRE(config.resources.size() == 1);
  REQUIRE(config.resources[0].rules.size() == 3);
  CHECK(config.resources[0].rules[0].device_class.get() == "gpu.nvidia.com");
  CHECK(config.resources[0].rules[0].amount == Quantity(2));
  CHECK(config.resources[0].rules[1].capacity == "memory");
  CHECK(config.resources[0].rules[1].per == Quantity::parse("80Gi").value());
  CHECK(config.resources[0].rules[2].node_resource == "nvidia.com/gpu");
  REQUIRE(config.queues.size() == 2);
  CHECK(config.queues[0].quota.at("memory") == std::nullopt);
  CHECK(config.queues[0].over_quota_weight.all == Quantity(2));
  CHECK(config.queues[1] == physics());
  CHECK(config.pod_queues.labels == std::vector<std::string>{"team"});
  CHECK(config.pod_queues.namespaces.at("lab").get() == "physics");
  CHECK(config.pod_queues.otherwise == policy::QueueName("physics"));
  CHECK(config.fractions == policy::Fractions{ClassName("hami-core-gpu.project-hami.io"),
                                              "example.com/memory",
                                              {"cores"},
                                              "example.com/uuid"});
  CHECK(config.fairness == policy::Fairness{168h, std::nullopt, 0.5});
  CHECK(config.aging == Duration(1h));
  CHECK(config.gangs == policy::Gangs{30s, 5min});
  CHECK(config.preemption == policy::Preemption{true, 10s});
  CHECK(config.reclaim == policy::Reclaim{true, 1.5, 20s, policy::ReclaimResolution::queue});
  CHECK(config.consolidation == policy::Consolidation{true, 4});
  CHECK(config.budgets == policy::Budgets{10, 20, 30, 40, 50s, 60});
  REQUIRE(config.node_groups.size() == 1);
  CHECK(config.node_groups[0].max_nodes == 16);
  CHECK(config.node_groups[0].like == NodeName("gpu-node-1"));
  CHECK(config.node_groups[0].node->meta.labels == Labels{{"pool", "7"}});
  CHECK(config.node_groups[0].node->allocatable.at("cpu") == Quantity(96));
  CHECK(config.node_groups[0].slices->at(0).devices.at(0).name == DeviceName("gpu-0"));
}

TEST_CASE("every field that is taken away is missed") {
  const std::string text = everything;
  const auto whole = read_policy(text);
  REQUIRE(whole.config);
  std::istringstream lines(text);
  std::string line;
  std::size_t at = 0;
  int fields = 0;
  while (std::getline(lines, line)) {
    const auto colon = line.find(": ");
    // The line of a field with its value; those of lists and of queuesFrom's default aside.
    if (colon != std::string::npos && line.find("queuesFrom") == std::string::npos) {
      // An item of a list keeps its dash.
      const auto dash = line.find("- ");
      const auto kept = dash == std::string::npos ? "" : line.substr(0, dash) + "-\n";
      if (kept.empty()) {
        ++fields;
        INFO(line);
        auto without = text;
        without.erase(at, line.size() + 1);
        CHECK(read_policy(without).config != whole.config);
      }
    }
    at += line.size() + 1;
  }
  CHECK(fields == 52);
}

TEST_CASE("queuesFrom kai takes no queues from the file") {
  const auto kai = read_policy(
      file_with("queuesFrom: kai\nresources: {gpu: [{deviceClass: gpu.nvidia.com}]}\n"));
  REQUIRE(kai.config);
  CHECK(kai.config->queues_from == policy::QueueSource::kai);
}

TEST_CASE("root is the parent of top queues") {
  const auto file = read_policy(file_with("queues:\n  - {name: a, parent: root}\n"));
  REQUIRE(file.config);
  CHECK(file.config->queues[0].parent == std::nullopt);
}

TEST_CASE("the policy's own rules are told with their place") {
  struct Row {
    std::string name, text, want;
  };
  const auto row = GENERATE(values<Row>({
      {"a cycle", "queues:\n  - {name: a, parent: b}\n  - {name: b, parent: a}\n",
       "4:23: queues[0].parent: a cycle: a -> b -> a"},
      {"a quota above the parent's",
       "queues:\n  - {name: a, quota: {cpu: 4}}\n  - {name: b, parent: a, quota: {cpu: 8}}\n",
       "5:39: queues[1].quota.cpu: 8 is above the quota of its parent a, 4; give that one at "
       "least as much"},
      {"a device class's quota stands at its own place",
       "queues:\n  - {name: a, quota: {x..y.deviceclass.resource.k8s.io/devices: 4}}\n",
       "4:65: queues[0].quota.x..y.deviceclass.resource.k8s.io/devices: x..y is no name of a "
       "DeviceClass"},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto file = read_policy(file_with(row.text));
    CHECK_FALSE(file.config);
    REQUIRE_FALSE(file.problems.empty());
    CHECK(file.problems[0].to_string() == row.want);
  }
}

TEST_CASE("all problems come in the order of the file") {
  const auto file = read_policy("kind: Policy\nbudgets: {jobs: x}\ntopology: y\n");
  REQUIRE(file.problems.size() == 3);
  CHECK(file.problems[0].to_string() == "1:1: apiVersion: is missing: dray.dev/v1alpha1");
  CHECK(file.problems[1].place == TextPlace{2, 17});
  CHECK(file.problems[2].place == TextPlace{3, 11});
  const auto error = decode_policy("kind: Policy\nbudgets: {jobs: x}\ntopology: y\n");
  REQUIRE_FALSE(error);
  CHECK_THAT(error.error().message, Catch::Contains("\n2:17: budgets.jobs: "));
}

TEST_CASE("a warning leaves the policy usable") {
  const auto file = read_policy(file_with("reclaim: {enabled: true}\n"));
  REQUIRE(file.problems.size() == 1);
  CHECK(file.problems[0].severity == policy::ConfigProblem::Severity::warning);
  CHECK(file.config);
  CHECK(decode_policy(file_with("reclaim: {enabled: true}\n")));
}

TEST_CASE("what is no YAML is told with its place") {
  const auto file = read_policy("kind: [\n");
  REQUIRE(file.problems.size() == 1);
  CHECK(file.problems[0].place.line == 2);
  CHECK(file.problems[0].path.empty());
}

TEST_CASE("the policy that comes with dray is one") {
  std::ifstream in("config/policy.yaml");
  REQUIRE(in);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto file = read_policy(text);
  CHECK(texts(file).empty());
  REQUIRE(file.config);
  CHECK(file.config->queues.empty());
  CHECK_FALSE(file.config->reclaim.enabled);
}

}  // namespace dray::wire::policy_codec_test
