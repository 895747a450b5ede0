#include "tests/bench/policy_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace dray::bench {

planner::Actions Workload::actions() const {
  const auto has = [&](const char* name) {
    const auto& all = json.at("actions");
    return std::ranges::find(all, name) != all.end();
  };
  return {.place = has("allocate"),
          .consolidate = has("consolidation"),
          .reclaim = has("reclaim"),
          .preempt = has("preempt"),
          .end_stale_gangs = has("stalegangeviction")};
}

planner::PlanBudget Workload::budget() const {
  planner::PlanBudget budget;
  budget.evictions = json.value("evictions", budget.evictions);
  return budget;
}

namespace {

void add_jobs(PolicyWorld& world, const nlohmann::json& some, int nodes, bool running) {
  const auto queues = some.at("queues").get<std::vector<std::string>>();
  for (int i = 0; i < some.at("count").get<int>(); ++i) {
    PolicyWorld::Ask ask;
    ask.name = fmt::format("{}-{}", some.at("name").get<std::string>(), i);
    ask.queue = queues[static_cast<std::size_t>(i) % queues.size()];
    ask.gpus = some.value("gpus", 1);
    ask.pods = some.value("pods", 1);
    ask.required = some.value("required", "");
    if (running) ask.on = fmt::format("node{}", i % nodes);
    world.job(ask);
  }
}

}  // namespace

void Workload::build(PolicyWorld& world) const {
  const int nodes = json.at("nodes");
  if (json.contains("zone")) world.topology({"zone", "rack"});
  for (const auto& queue : json.at("queues")) {
    world.queue(queue.at("name"), queue.at("parent"), queue.at("quota"), queue.at("weight"));
  }
  for (int i = 0; i < nodes; ++i) {
    Labels labels;
    if (json.contains("zone")) {
      labels["zone"] = fmt::format("z{}", i / json.at("zone").get<int>());
      labels["rack"] = fmt::format("r{}", i / json.at("rack").get<int>());
    }
    world.node(fmt::format("node{}", i), 8, std::move(labels));
  }
  for (const auto& some : json.value("running", nlohmann::json::array())) {
    add_jobs(world, some, nodes, true);
  }
  for (const auto& some : json.at("waiting")) add_jobs(world, some, nodes, false);
}

std::vector<Workload> read_workloads(const std::filesystem::path& file) {
  std::vector<Workload> workloads;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    workloads.emplace_back(nlohmann::json::parse(line));
  }
  return workloads;
}

}  // namespace dray::bench
