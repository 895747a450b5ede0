#include "dray/policy/config.h"

#include <catch2/catch.hpp>

namespace dray::policy::config_test {

namespace {

QueueConfig queue_config(std::string name, std::string parent = "") {
  QueueConfig queue;
  queue.name = QueueName(std::move(name));
  if (!parent.empty()) queue.parent = QueueName(std::move(parent));
  return queue;
}

CountedResource counted(std::string name, std::string device_class) {
  CountedResource resource{std::move(name), {}};
  resource.rules.emplace_back().device_class = ClassName(std::move(device_class));
  return resource;
}

std::vector<std::string> names(const ResourceTable& table) {
  std::vector<std::string> names;
  for (const auto& resource : table) names.push_back(resource.name);
  return names;
}

}  // namespace

TEST_CASE("what no queue names is not counted") {
  PolicyConfig config;
  config.resources = {counted("gpu", "gpu.nvidia.com"), counted("nic", "nic.example.com")};
  config.queues = {queue_config("a")};
  CHECK(names(counted_resources(config)) == std::vector<std::string>{"gpu", "nic"});
  config.queues[0].limit["memory"] = Quantity(1);
  config.queues[0].over_quota_weight.by_resource["cpu"] = Quantity(1);
  config.queues[0].quota["h100.example.com.deviceclass.resource.k8s.io/devices"] = Quantity(4);
  CHECK(names(counted_resources(config)) ==
        std::vector<std::string>{"cpu", "memory", "gpu", "nic",
                                 "h100.example.com.deviceclass.resource.k8s.io/devices"});
  const auto rules = counting_rules(config);
  REQUIRE(rules.size() == 5);
  CHECK(rules[0].empty());
  CHECK(rules[2] == config.resources[0].rules);
  REQUIRE(rules[4].size() == 1);
  CHECK(rules[4][0].device_class.get() == "h100.example.com");
  CHECK(rules[4][0].amount == Quantity(1));
}

TEST_CASE("KAI's queues count cpu and memory always") {
  PolicyConfig config;
  config.queues_from = QueueSource::kai;
  CHECK(names(counted_resources(config)) == std::vector<std::string>{"cpu", "memory"});
}

TEST_CASE("quantities become amounts in the unit of their resource") {
  CHECK(amount_of(Quantity::parse("1500m").value(), ResourceUnit::millicores) == 1500);
  CHECK(amount_of(Quantity::parse("1Gi").value(), ResourceUnit::bytes) == 1073741824);
  CHECK(amount_of(Quantity::parse("0.5").value(), ResourceUnit::devices) == 0.5);
  CHECK(amount_of(Quantity::parse("1u").value(), ResourceUnit::millicores) == Approx(0.001));
}

TEST_CASE("absent: quota 0, limit none, weight 1") {
  PolicyConfig config;
  config.resources = {counted("gpu", "g"), counted("nic", "n")};
  config.queues = {queue_config("a"), queue_config("b", "a")};
  auto& a = config.queues[0];
  a.priority = 7;
  a.quota["gpu"] = std::nullopt;
  a.limit["nic"] = Quantity(3);
  a.over_quota_weight.all = Quantity(2);
  a.over_quota_weight.by_resource["nic"] = Quantity(0);
  a.reclaim_min_runtime = std::chrono::seconds(5);
  const auto tree = make_tree(config);
  REQUIRE(tree);
  const auto& top = (*tree)[tree->find("a").value()];
  CHECK(top.priority == 7);
  CHECK(top.quota[0] == unlimited);
  CHECK(top.quota[1] == 0);
  CHECK(top.limit[0] == unlimited);
  CHECK(top.limit[1] == 3);
  CHECK(top.over_quota_weight[0] == 2);
  CHECK(top.over_quota_weight[1] == 0);
  CHECK(top.reclaim_min_runtime == Duration(std::chrono::seconds(5)));
  const auto& below = (*tree)[tree->find("b").value()];
  CHECK(below.parent_index == tree->find("a"));
  CHECK(below.quota[0] == 0);
  CHECK(below.over_quota_weight[1] == 1);
}

TEST_CASE("more resources than an Amounts holds are no tree") {
  PolicyConfig config;
  for (std::size_t i = 0; i <= max_resources; ++i) {
    config.resources.push_back(counted("r" + std::to_string(i), "class"));
  }
  CHECK_FALSE(make_tree(config));
}

TEST_CASE("placement: the queue's, its ancestors', the policy's, pack") {
  PolicyConfig config;
  config.queues = {queue_config("a"), queue_config("b", "a"), queue_config("c")};
  config.queues[0].placement["gpu"] = PlacementStrategy::spread;
  config.placement["cpu"] = PlacementStrategy::spread;
  CHECK(placement_of(config, "b", "gpu") == PlacementStrategy::spread);
  CHECK(placement_of(config, "c", "gpu") == PlacementStrategy::pack);
  CHECK(placement_of(config, "b", "cpu") == PlacementStrategy::spread);
  CHECK(placement_of(config, "nobody", "gpu") == PlacementStrategy::pack);
  config.queues[1].placement["gpu"] = PlacementStrategy::pack;
  CHECK(placement_of(config, "b", "gpu") == PlacementStrategy::pack);
}

}  // namespace dray::policy::config_test
