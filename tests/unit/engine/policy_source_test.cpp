#include "engine/books/policy_source.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/benches.h"

namespace dray::engine::policy_source_test {
namespace {

KaiQueue kai_queue(const std::string& name, const std::string& parent = {}) {
  KaiQueue queue;
  queue.meta.name = name;
  queue.parent = parent;
  return queue;
}

std::shared_ptr<const policy::PolicyConfig> from_kai() {
  policy::PolicyConfig config;
  config.queues_from = policy::QueueSource::kai;
  config.resources.push_back({.name = "gpu", .rules = {}});
  config.resources.back().rules.emplace_back().device_class = ClassName("gpu");
  return std::make_shared<const policy::PolicyConfig>(config);
}

TEST_CASE("without a file there is one queue for all") {
  PolicySource source;
  CHECK(source.policy()->queues.find("default"));
  CHECK(source.open());
}

TEST_CASE("a KAI queue in the policy's words") {
  auto queue = kai_queue("train", "ai");
  queue.priority = 50;
  queue.preempt_min_runtime = std::chrono::minutes(2);
  queue.reclaim_min_runtime = std::chrono::minutes(3);
  queue.gpu = {.quota = Quantity(4), .limit = Quantity(-1), .over_quota_weight = Quantity(2)};
  queue.cpu.quota = Quantity(1500);
  queue.memory.quota = Quantity(2);
  const auto config = queue_config(queue, true);
  CHECK(config.parent == policy::QueueName("ai"));
  CHECK(config.priority == 50);
  CHECK(config.preempt_min_runtime == std::chrono::minutes(2));
  CHECK(config.reclaim_min_runtime == std::chrono::minutes(3));
  CHECK(config.quota.at("gpu") == Quantity(4));
  CHECK(config.limit.at("gpu") == std::nullopt);
  CHECK(config.over_quota_weight.by_resource.at("gpu") == Quantity(2));
  CHECK(config.quota.at("cpu") == Quantity::from_milli(1500));
  CHECK(config.quota.at("memory") == Quantity(2'000'000));
  // What is not written may not be used at all, as in KAI.
  CHECK(config.limit.at("memory") == Quantity(0));
  CHECK(!queue_config(queue, false).quota.contains("gpu"));
}

TEST_CASE("the tree follows KAI's objects, and keeps its last good form") {
  PolicySource source;
  source.set_config(from_kai());
  CHECK(source.observe(kai_queue("ai")));
  CHECK(source.observe(kai_queue("train", "ai")));
  CHECK(!source.observe(kai_queue("train", "ai")));
  CHECK(source.policy()->queues.queues().size() == 2);
  CHECK(!source.open());
  // A cycle.
  CHECK(source.observe(kai_queue("ai", "train")));
  CHECK(source.policy()->queues.queues().size() == 2);
  CHECK(!source.problem().empty());
  CHECK(source.observe(kai_queue("ai")));
  CHECK(source.policy() != nullptr);
  CHECK(source.problem().empty());
  CHECK(source.forget(Kind::kai_queue, "train"));
  CHECK(source.policy()->queues.queues().size() == 1);
}

TEST_CASE("a KAI queue is as old as its object") {
  PolicySource source;
  source.set_config(from_kai());
  auto queue = kai_queue("train");
  queue.meta.created = start;
  source.observe(queue);
  const auto& queues = source.policy()->queues;
  CHECK(queues[*queues.find("train")].created == start);
}

TEST_CASE("topologies: the file's, KAI's, and labels that groups name") {
  PolicySource source;
  policy::PolicyConfig config;
  config.topology = {"zone", "rack"};
  source.set_config(std::make_shared<const policy::PolicyConfig>(config));
  KaiTopology fabric;
  fabric.meta.name = "fabric";
  fabric.levels = {{.label = "tier-1"}, {.label = "tier-0", .alias = "rack"}};
  CHECK(source.observe(fabric));
  CHECK(source.set_topology_keys({"example.com/rack"}));
  CHECK(!source.set_topology_keys({"example.com/rack"}));
  const auto& made = source.policy()->topologies;
  CHECK(made.at("") == std::vector<std::string>{"zone", "rack"});
  CHECK(made.at("fabric") == std::vector<std::string>{"tier-1", "tier-0"});
  CHECK(source.policy()->level_aliases == policy::LevelAliases{{{"fabric", "rack"}, "tier-0"}});
  fabric.levels[1].alias.clear();
  CHECK(source.observe(fabric));
  CHECK(source.policy()->level_aliases.empty());
  CHECK(made.at("example.com/rack") == std::vector<std::string>{"example.com/rack"});
}

TEST_CASE("the policy of the file is the plan's") {
  Bench bench({}, true);
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("research");
  config.queues.push_back(queue);
  config.pod_queues.otherwise = policy::QueueName("research");
  bench.apply(PolicyChanged{std::make_shared<const policy::PolicyConfig>(config)});
  bench.tell(make_pod("p", "c"));
  REQUIRE(!bench.wanted.empty());
  const auto& input = *bench.wanted.back().input;
  CHECK(input.policy->queues.find("research"));
  REQUIRE(input.jobs.size() == 1);
  CHECK(input.jobs[0]->queue == policy::QueueName("research"));
  CHECK(bench.engine.pod({"default", "p"})->queue == "research");
}

}  // namespace
}  // namespace dray::engine::policy_source_test
