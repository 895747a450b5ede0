#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <string>

#include "policy/config_check.h"

namespace dray::policy::range_check_test {

namespace {

PolicyConfig full() {
  PolicyConfig config;
  CountedResource gpu{"gpu", {}};
  gpu.rules.emplace_back().device_class = ClassName("gpu.nvidia.com");
  config.resources = {gpu};
  config.queues.emplace_back().name = QueueName("a");
  config.queues.emplace_back().name = QueueName("b");
  config.fairness.half_life = std::chrono::hours(1);
  config.aging = std::chrono::hours(1);
  return config;
}

std::vector<ConfigProblem> check(const PolicyConfig& config) {
  ConfigProblems problems;
  check_ranges(config, problems);
  return std::move(problems).take();
}

}  // namespace

TEST_CASE("values at the end of their range are right") {
  auto config = full();
  config.fairness.strength = 0;
  config.reclaim.saturation_multiplier = 1;
  config.consolidation.max_jobs = 1;
  config.budgets.evictions = 0;
  config.queues[0].over_quota_weight.all = Quantity(0);
  CHECK(check(config).empty());
}

TEST_CASE("a value below the least one is told with its path") {
  struct Row {
    std::string name;
    std::function<void(PolicyConfig&)> spoil;
    std::string path, text;
  };

  const auto row = GENERATE(values<Row>({
      {"an amount of 0 in a rule", [](auto& c) { c.resources[0].rules[0].amount = Quantity(0); },
       "resources.gpu[0].amount", "must be above 0"},
      {"per below 0", [](auto& c) { c.resources[0].rules[0].per = Quantity(-1); },
       "resources.gpu[0].per", "must be above 0"},
      {"a weight below 0", [](auto& c) { c.queues[1].over_quota_weight.all = Quantity(-1); },
       "queues[1].overQuotaWeight", "must not be below 0"},
      {"one resource's weight below 0",
       [](auto& c) { c.queues[0].over_quota_weight.by_resource["gpu"] = Quantity(-1); },
       "queues[0].overQuotaWeight.gpu", "must not be below 0"},
      {"a half-life of 0", [](auto& c) { c.fairness.half_life = Duration(0); }, "fairness.halfLife",
       "must be above 0"},
      {"a strength below 0", [](auto& c) { c.fairness.strength = -0.5; }, "fairness.strength",
       "must not be below 0"},
      {"a strength that is no number",
       [](auto& c) { c.fairness.strength = std::numeric_limits<double>::quiet_NaN(); },
       "fairness.strength", "must not be below 0"},
      {"aging of 0", [](auto& c) { c.aging = Duration(0); }, "aging", "must be above 0"},
      {"a multiplier below 1", [](auto& c) { c.reclaim.saturation_multiplier = 0.99; },
       "reclaim.saturationMultiplier", "must be at least 1"},
      {"no jobs to move", [](auto& c) { c.consolidation.max_jobs = 0; }, "consolidation.maxJobs",
       "must be at least 1"},
      {"no jobs to look at", [](auto& c) { c.budgets.jobs = 0; }, "budgets.jobs",
       "must be at least 1"},
      {"evictions below 0", [](auto& c) { c.budgets.evictions = -1; }, "budgets.evictions",
       "must not be below 0"},
      {"a queue's evictions below 0", [](auto& c) { c.budgets.evictions_per_queue = -1; },
       "budgets.evictionsPerQueue", "must not be below 0"},
      {"exposed jobs below 0", [](auto& c) { c.budgets.exposed_jobs = -1; }, "budgets.exposedJobs",
       "must not be below 0"},
  }));
  DYNAMIC_SECTION(row.name) {
    auto config = full();
    row.spoil(config);
    const auto problems = check(config);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].severity == ConfigProblem::Severity::error);
    CHECK(problems[0].path == row.path);
    CHECK(problems[0].text == row.text);
  }
}

}  // namespace dray::policy::range_check_test
