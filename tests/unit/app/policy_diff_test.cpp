#include "app/replay/policy_diff.h"

#include <catch2/catch.hpp>

#include "app/replay/replay_report.h"
#include "dray/cluster/state.h"
#include "tests/objects/gpus.h"

namespace dray::app::policy_diff_test {
namespace {

using namespace dray::testing;

policy::PolicyConfig one_queue(const std::string& name, std::optional<int> limit) {
  policy::PolicyConfig config;
  policy::CountingRule rule;
  rule.device_class = ClassName("gpu");
  config.resources = {{"gpu", {rule}}};
  policy::QueueConfig queue;
  queue.name = policy::QueueName(name);
  queue.quota["gpu"] = Quantity(limit.value_or(8));
  if (limit) queue.limit["gpu"] = Quantity(*limit);
  config.queues = {queue};
  config.pod_queues.otherwise = queue.name;
  return config;
}

/// A pod that waits for one of two devices.
planner::PlanInput input_of(const policy::PolicyConfig& config) {
  cluster::ClusterState state;
  for (const KubeObject& object :
       {KubeObject(make_class()), KubeObject(make_node("n0")), KubeObject(make_gpus("n0", 2)),
        KubeObject(make_claim("c", 1)), KubeObject(make_pod("p", "c"))}) {
    state.apply(cluster::ObjectChanged{object});
  }
  planner::PlanInput input;
  input.snapshot = state.snapshot();
  input.policy = std::make_shared<const policy::Policy>(policy::compile(config).value());
  input.now = start;
  input.jobs = {std::make_shared<const planner::Job>(planner::single_pod_job(
      std::make_shared<const Pod>(make_pod("p", "c")), config.queues.at(0).name, start))};
  return input;
}

TEST_CASE("a policy that says the same decides the same") {
  const auto config = one_queue("a", 8);
  const auto input = input_of(config);
  PolicyDiff diff(config);
  diff.see(input, planner::Planner(engine::best_choice()).plan(input), {});
  CHECK(diff.plans() == 1);
  CHECK(diff.differences().empty());
  CHECK(policy_diff_text(diff) ==
        "1 plans made again under the other policy: it would have decided the same\n");
}

TEST_CASE("a job that would have fared otherwise is told once, with both reasons") {
  const auto input = input_of(one_queue("a", 8));
  const auto plan = planner::Planner(engine::best_choice()).plan(input);
  PolicyDiff diff(one_queue("b", 0));
  diff.see(input, plan, {});
  diff.see(input, plan, {});
  REQUIRE(diff.differences().size() == 1);
  const auto& found = diff.differences()[0];
  CHECK(found.job == "default/p");
  CHECK(found.queue == "a");
  CHECK(found.new_queue == "b");
  CHECK(found.was == "1 of 1 pods placed on n0");
  CHECK(found.would.starts_with("waits: "));
  CHECK(policy_diff_text(diff).contains("default/p (queue a, then b)\n  was:   1 of 1 pods"));
}

TEST_CASE("a report names the first differences and where comparing began") {
  service::ReplayReport report;
  report.steps = 7;
  CHECK(replay_text(report).starts_with("7 steps, none of them compared"));
  report.compared = 5;
  report.decisions = 3;
  report.from = report.to = start;
  CHECK(replay_text(report).ends_with(", 3 decisions: all the same\n"));
  report.whole_run = false;
  CHECK(replay_text(report).contains("Compared from a state on"));
  report.differences = 1;
  report.first = {{6, start, "write {}", ""}};
  CHECK(replay_text(report).contains(": 1 differ\n"));
  CHECK(replay_text(report).contains("  recorded: write {}\n  replayed: nothing\n"));
}

}  // namespace
}  // namespace dray::app::policy_diff_test
