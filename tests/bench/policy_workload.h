#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/policy_world.h"

// Workloads of the policy benchmark as tests/bench/workload/policy.jsonl describes them, one a
// line; KAI's scheduler reads the same file (tests/kai/bench).

namespace dray::bench {

struct Workload {
  explicit Workload(nlohmann::json line) : json(std::move(line)) {}

  [[nodiscard]] std::string name() const { return json.at("name").get<std::string>(); }
  [[nodiscard]] planner::Actions actions() const;
  /// What an operator gets who writes no budgets, but for those that the line names.
  [[nodiscard]] planner::PlanBudget budget() const;
  void build(PolicyWorld& world) const;

  nlohmann::json json;
};

[[nodiscard]] std::vector<Workload> read_workloads(const std::filesystem::path& file);

}  // namespace dray::bench
