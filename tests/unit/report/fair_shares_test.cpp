#include "report/fair_shares.h"

#include <catch2/catch.hpp>

#include "dray/policy/policy.h"

namespace dray::report::fair_shares_test {
namespace {

simulate::JobsRun run_of(std::vector<simulate::Curve> curves) {
  simulate::JobsRun run;
  run.gpus = 12;
  run.curves = std::move(curves);
  return run;
}

simulate::Scheduler with_queues(const std::vector<std::pair<std::string, int>>& weights) {
  policy::PolicyConfig config;
  policy::CountingRule rule;
  rule.node_resource = "nvidia.com/gpu";
  config.resources.push_back({.name = "gpu", .rules = {rule}});
  for (const auto& [name, weight] : weights) {
    auto& queue = config.queues.emplace_back();
    queue.name = policy::QueueName(name);
    queue.quota["gpu"] = Quantity(0);
    queue.over_quota_weight.all = Quantity(weight);
  }
  return {"weighted", std::make_shared<const policy::Policy>(policy::compile(config).value())};
}

const std::vector<simulate::Curve> curves{{"a", {12, 3}, {0, 0}}, {"b", {0, 6}, {8, 20}}};
using Shares = std::vector<std::vector<double>>;

}  // namespace

TEST_CASE(
    "without queues of a policy all are equal, and what one does not ask for is the others'") {
  const auto rule = share_rule({{"bestfit", simulate::Strategy::best_fit}}, curves);
  CHECK(rule.policy.empty());
  CHECK(fair_shares(rule, run_of(curves)) == Shares{{6, 3}, {6, 9}});
}

TEST_CASE("shares go by the weights of the first policy that names the queues") {
  const auto rule =
      share_rule({with_queues({{"a", 1}}), with_queues({{"a", 2}, {"b", 1}})}, curves);
  CHECK(rule.policy == "weighted");
  CHECK(fair_shares(rule, run_of(curves)) == Shares{{8, 3}, {4, 9}});
}

TEST_CASE("what a queue holds less than its share is owed to it, what it holds more is not") {
  simulate::Workload workload;
  for (const auto* name : {"a", "b"}) workload.jobs.emplace_back().queue = name;
  std::vector<MeasuredRun> runs(1);
  runs[0].run = run_of(curves);
  runs[0].run.jobs.resize(2);
  runs[0].measures = simulate::measure(workload, runs[0].run);
  add_shares(runs, {with_queues({{"a", 2}, {"b", 1}})});
  CHECK(runs[0].shares.policy == "weighted");
  CHECK(runs[0].shares.of_queues == Shares{{8, 3}, {4, 9}});
  const auto& queues = runs[0].measures.queues;
  CHECK(queues[0].fair_share == 5.5);
  CHECK(queues[0].owed == 0);
  CHECK(queues[1].fair_share == 6.5);
  CHECK(queues[1].owed == 3.5);
  CHECK(runs[0].measures.all.fair_share == 12);
  CHECK(runs[0].measures.all.owed == 3.5);
}

TEST_CASE("pods that are in no queue are owed nothing, and keep the others from nothing") {
  auto with_nobody = curves;
  with_nobody.push_back({"", {1, 0}, {5, 5}});
  const auto rule = share_rule({with_queues({{"a", 2}, {"b", 1}})}, with_nobody);
  CHECK(rule.policy == "weighted");
  CHECK(fair_shares(rule, run_of(with_nobody)) == Shares{{8, 3}, {4, 9}, {0, 0}});
}

TEST_CASE("a run without time has no shares") {
  const auto rule = share_rule({}, {{"a", {}, {}}});
  CHECK(fair_shares(rule, run_of({{"a", {}, {}}})) == Shares{{}});
}

}  // namespace dray::report::fair_shares_test
