#include "dray/policy/policy.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dray::policy::policy_test {

namespace {

PolicyConfig with_queue(const char* name, const char* parent) {
  PolicyConfig config;
  config.queues.emplace_back().name = QueueName(name);
  if (*parent != '\0') config.queues.back().parent = QueueName(parent);
  return config;
}

}  // namespace

TEST_CASE("a policy is compiled once: its tree, what counts, its topologies") {
  auto config = with_queue("team", "");
  config.queues[0].quota["cpu"] = Quantity(2);
  config.topology = {"zone", "rack"};
  const auto policy = compile(config, {{"fabric", {"block"}}, {"", {"stale"}}});
  REQUIRE(policy);
  CHECK(policy->config == config);
  REQUIRE(policy->queues.find("team"));
  CHECK(policy->queues[*policy->queues.find("team")].quota[0] == 2000);
  CHECK(policy->counting.resources().size() == 1);
  // The file's own topology has no name.
  CHECK(policy->topologies.at("") == std::vector<std::string>{"zone", "rack"});
  CHECK(policy->topologies.at("fabric") == std::vector<std::string>{"block"});
}

TEST_CASE("a topology of the cluster without a name stays where the file has none") {
  const auto policy = compile({}, {{"", {"zone"}}});
  REQUIRE(policy);
  CHECK(policy->topologies.at("") == std::vector<std::string>{"zone"});
}

TEST_CASE("what is no tree is an error") {
  CHECK_FALSE(compile(with_queue("a", "a")));
}

TEST_CASE("the open policy has one queue for all pods, without a bound") {
  const auto policy = Policy::open();
  REQUIRE(policy.queues.queues().size() == 1);
  const auto& queue = policy.queues.queues()[0];
  CHECK(policy.config.pod_queues.otherwise == queue.name);
  CHECK(policy.counting.resources().empty());
  CHECK_FALSE(policy.config.reclaim.enabled);
  CHECK_FALSE(policy.config.preemption.enabled);
  CHECK_FALSE(policy.config.consolidation.enabled);
}

}  // namespace dray::policy::policy_test
