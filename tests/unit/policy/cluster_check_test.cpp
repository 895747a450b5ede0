#include "dray/policy/cluster_check.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "dray/cluster/state.h"
#include "tests/objects/gpus.h"

namespace dray::policy::cluster_check_test {
namespace {

using namespace testing;

/// Two nodes with four GPUs each, of class "gpu.example.com", and a zone.
std::shared_ptr<const cluster::Snapshot> two_nodes() {
  cluster::ClusterState state;
  const auto tell = [&](KubeObject object) {
    state.apply(cluster::ObjectChanged{std::move(object)});
  };
  tell(make_driver_class("gpu.example.com", gpu_driver));
  for (const auto* name : {"n0", "n1"}) {
    auto node = make_node(name, Labels{{"topology.kubernetes.io/zone", "a"}});
    node.allocatable["example.com/fpga"] = Quantity(1);
    tell(node);
    tell(make_gpus(name, 4));
  }
  return state.snapshot();
}

PolicyConfig gpus_of(const std::string& device_class, std::int64_t quota) {
  PolicyConfig config;
  CountingRule rule;
  rule.device_class = ClassName(device_class);
  config.resources = {{.name = "gpu", .rules = {rule}}};
  auto& queue = config.queues.emplace_back();
  queue.name = QueueName("a");
  queue.quota["gpu"] = Quantity(quota);
  return config;
}

std::vector<std::string> findings(const PolicyConfig& config) {
  std::vector<std::string> texts;
  for (const auto& each : check_against(config, *two_nodes())) {
    CHECK(each.severity == ConfigProblem::Severity::warning);
    texts.push_back(text_of(each));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("a policy that fits the cluster has nothing to report") {
  auto config = gpus_of("gpu.example.com", 16);
  config.topology = {"topology.kubernetes.io/zone"};
  CountingRule rule;
  rule.node_resource = "example.com/fpga";
  config.resources.push_back({.name = "fpga", .rules = {rule}});
  CHECK(findings(config).empty());
}

TEST_CASE("a class that does not exist is reported with the near one, and once") {
  CHECK(findings(gpus_of("gpu.example.co", 4)) ==
        Texts{"resources.gpu[0].deviceClass: counts nothing, so that quotas and limits of gpu do "
              "not apply: there is no DeviceClass gpu.example.co; did you mean gpu.example.com?"});
  auto config = gpus_of("gpu.example.com", 0);
  config.queues[0].limit["tpu.deviceclass.resource.k8s.io/devices"] = Quantity(1);
  CHECK(findings(config) ==
        Texts{"queues[0].limit.tpu.deviceclass.resource.k8s.io/devices: the limit of queue a "
              "applies to nothing: there is no DeviceClass tpu; there is gpu.example.com"});
  config = gpus_of("gpu.example.com", 0);
  config.fractions.emplace().device_class = ClassName("hami");
  CHECK(findings(config) == Texts{"fractions.deviceClass: no pod can get a part of a device: there "
                                  "is no DeviceClass hami; there is gpu.example.com"});
}

TEST_CASE("of several rules the one that counts nothing is reported, and the others apply") {
  auto config = gpus_of("gpu.example.com", 0);
  config.resources[0].rules.emplace_back().device_class = ClassName("gpu.amd.com");
  CHECK(findings(config) == Texts{"resources.gpu[1].deviceClass: counts nothing: there is no "
                                  "DeviceClass gpu.amd.com; did you mean gpu.example.com?"});
}

TEST_CASE("a node resource or a label that no node has is reported") {
  auto config = gpus_of("gpu.example.com", 0);
  config.resources[0].rules[0].device_class = {};
  config.resources[0].rules[0].node_resource = "example.com/fgpa";
  config.topology = {"topology.kubernetes.io/zones", "kubernetes.io/hostname"};
  for (auto& queue : config.queues) queue.quota.clear();
  const auto found = findings(config);
  REQUIRE(found.size() == 3);
  CHECK(found[0] ==
        "resources.gpu[0].nodeResource: counts nothing, so that quotas and limits of gpu do not "
        "apply: no node has the resource example.com/fgpa; did you mean example.com/fpga?");
  CHECK(found[1] ==
        "topology[0]: the level has no domains: no node has the label "
        "topology.kubernetes.io/zones; did you mean topology.kubernetes.io/zone?");
  CHECK(found[2].starts_with("topology[1]: "));
}

TEST_CASE("quotas of several times the cluster are reported, with both amounts") {
  CHECK(findings(gpus_of("gpu.example.com", 16)).empty());
  CHECK(findings(gpus_of("gpu.example.com", 17)) ==
        Texts{"queues: the quotas of gpu add up to 17 GPUs, and the cluster has 8 GPUs: not every "
              "queue can get its quota"});
  auto nested = gpus_of("gpu.example.com", 10);
  auto& below = nested.queues.emplace_back();
  below.name = QueueName("b");
  below.parent = QueueName("a");
  below.quota["gpu"] = Quantity(10);
  CHECK(findings(nested).empty());
  nested.queues[0].quota["gpu"] = std::nullopt;  // unlimited
  CHECK(findings(nested).empty());
  auto growing = gpus_of("gpu.example.com", 100);
  growing.node_groups.emplace_back();
  CHECK(findings(growing).empty());
}

TEST_CASE("a cluster without anything is nothing to check against") {
  cluster::ClusterState state;
  CHECK(check_against(gpus_of("gpu.example.com", 4), *state.snapshot()).empty());
  state.apply(cluster::ObjectChanged{make_node("n0")});
  CHECK(check_against(gpus_of("gpu.example.com", 4), *state.snapshot()).size() == 1);
}

}  // namespace
}  // namespace dray::policy::cluster_check_test
