#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "tests/policy_world.h"

// KAI's benchmarks and published scale tests as plans of dray's, with KAI's own figures beside
// them. `cold` is a planner's first plan; `again` the same with its memory of the one before; both
// are the fastest of several. `dray_policy_bench TEXT` runs the rows with that in their names.

namespace dray::bench {
namespace {

using planner::Actions;
using planner::Plan;
using planner::Planner;

constexpr Actions all{};
constexpr Actions place_only{true, false, false, false, false};
constexpr Actions reclaim_only{false, false, true, false, false};

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

struct Counts {
  std::size_t placed = 0;
  std::size_t held = 0;
  std::size_t evicted = 0;
};
Counts count(const Plan& plan) {
  Counts counts;
  for (const auto& job : plan.jobs) {
    counts.placed += job.placements.size();
    counts.held += job.held.size();
  }
  for (const auto& eviction : plan.evictions) counts.evicted += eviction.pods.size();
  return counts;
}

std::string wanted;  ///< part of the names of the rows that run

struct Row {
  std::string name;
  std::string kai;    ///< what KAI takes
  double target = 0;  ///< milliseconds
  Counts want;        ///< what the plan has to have
};

void report(const Row& row, double cold, double again, const Plan& plan) {
  const auto got = count(plan);
  const bool right =
      got.placed == row.want.placed && got.held == row.want.held && got.evicted == row.want.evicted;
  fmt::print("{:<58} {:>9.2f} {:>9.2f} {:>8.0f}  {:<12} placed {} held {} evicted {}{}\n", row.name,
             cold, again, row.target, row.kai, got.placed, got.held, got.evicted,
             right ? "" : "  WRONG");
  std::fflush(stdout);
}

bool skipped(const std::string& name) {
  return name.find(wanted) == std::string::npos;
}

void run(const Row& row, PolicyWorld& world, Actions actions) {
  if (skipped(row.name)) return;
  const auto input = world.input(actions);
  double cold = 1e9;
  double again = 1e9;
  Plan plan;
  const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  for (int i = 0; i < 3 || std::chrono::steady_clock::now() < enough; ++i) {
    Planner planner;
    cold = std::min(cold, milliseconds([&] { plan = planner.plan(input); }));
    again = std::min(again, milliseconds([&] { plan = planner.plan(input); }));
  }
  report(row, cold, again, plan);
}

void quarters(PolicyWorld& world, int nodes) {
  const auto total = nodes * 8;
  world.queue("dept-a", "", total / 2, 1);
  world.queue("dept-b", "", total / 2, 1);
  for (int i = 0; i < 4; ++i) {
    world.queue(fmt::format("queue-{}", i), i < 2 ? "dept-a" : "dept-b", total / 4, 1);
  }
  for (int i = 0; i < nodes; ++i) world.node(fmt::format("node-{}", i), 8);
}

void allocate(Gpus kind, const char* what, int nodes, int jobs, const char* kai, double target) {
  PolicyWorld world(kind);
  quarters(world, nodes);
  for (int i = 0; i < jobs; ++i) {
    world.job({.name = fmt::format("job-{}", i),
               .queue = fmt::format("queue-{}", i % 4),
               .on = {},
               .required = {}});
  }
  const auto count = static_cast<std::size_t>(jobs);
  run({fmt::format("allocate: {} nodes, {} jobs, {}", nodes, jobs, what),
       kai,
       target,
       {.placed = count}},
      world, place_only);
}

void running_jobs(PolicyWorld& world, int nodes) {
  for (int i = 0; i < nodes; ++i) world.node(fmt::format("node{}", i), 8);
  for (int i = 0; i < nodes * 8; ++i) {
    world.job({.name = fmt::format("running-job-{}", i),
               .queue = "queue-0",
               .on = fmt::format("node{}", i % nodes),
               .required = {}});
  }
}

void unsolvable(Gpus kind, const char* what, int nodes, const char* kai) {
  PolicyWorld world(kind);
  world.queue("queue-0", "", nodes * 8 - 80 + 1, 0);
  world.queue("queue-1", "", 80, 0);
  running_jobs(world, nodes);
  world.job(
      {.name = "distributed", .queue = "queue-1", .gpus = 8, .pods = 10, .on = {}, .required = {}});
  run({fmt::format("unsolvable distributed reclaim, n = {}, {}", nodes, what), kai, 5, {}}, world,
      reclaim_only);
}

void large(Gpus kind, const char* what, int nodes, const char* kai) {
  PolicyWorld world(kind);
  world.queue("queue-0", "", 0, 0);
  world.queue("queue-1", "", nodes * 8, 0);
  running_jobs(world, nodes);
  world.job({.name = "very-large",
             .queue = "queue-1",
             .gpus = 8,
             .pods = nodes / 2,
             .on = {},
             .required = {}});
  const auto pods = static_cast<std::size_t>(nodes / 2);
  run({fmt::format("reclaim by one gang of n/2 whole nodes, n = {}, {}", nodes, what),
       kai,
       200,
       {.held = pods, .evicted = pods * 8}},
      world, reclaim_only);
}

void many(Gpus kind, const char* what, int nodes, const char* kai) {
  PolicyWorld world(kind);
  world.queue("queue-0", "", 0, 0);
  world.queue("queue-1", "", nodes * 8, 0);
  running_jobs(world, nodes);
  for (int i = 0; i < nodes * 8; ++i) {
    world.job(
        {.name = fmt::format("pending-job-{}", i), .queue = "queue-1", .on = {}, .required = {}});
  }
  const auto jobs = static_cast<std::size_t>(nodes * 8);
  run({fmt::format("reclaim 8n against 8n, full cycle, n = {}, {}", nodes, what),
       kai,
       200,
       {.held = jobs, .evicted = jobs}},
      world, all);
}

void gang(Gpus kind, const char* what) {
  PolicyWorld world(kind);
  world.topology({"zone", "rack"});
  world.queue("team", "", 4000, 1);
  for (int i = 0; i < 500; ++i) {
    world.node(fmt::format("node{}", i), 8,
               {{"zone", fmt::format("z{}", i / 250)}, {"rack", fmt::format("r{}", i / 25)}});
  }
  world.job({.name = "big", .queue = "team", .gpus = 1, .pods = 512, .on = {}, .required = "zone"});
  run({fmt::format("512-pod gang in one zone, 500 nodes, {}", what), "49 s", 100, {.placed = 512}},
      world, place_only);
}

/// One pod of 20,000 ends, and the one job that waits gets its room.
void incremental(Gpus kind, const char* what) {
  const auto name = fmt::format("one pod ends: 5,000 nodes, 20,000 pods, {}", what);
  if (skipped(name)) return;
  PolicyWorld world(kind);
  for (int i = 0; i < 8; ++i) world.queue(fmt::format("queue-{}", i), "", 2500, 1);
  for (int i = 0; i < 5000; ++i) world.node(fmt::format("node{}", i), 4);
  for (int i = 0; i < 20'000; ++i) {
    world.job({.name = fmt::format("running-{}", i),
               .queue = fmt::format("queue-{}", i % 8),
               .on = fmt::format("node{}", i % 5000),
               .required = {}});
  }
  world.job({.name = "waiting", .queue = "queue-0", .on = {}, .required = {}});
  Planner planner;
  auto input = world.input(place_only);
  const auto cold = milliseconds([&] { (void)planner.plan(input); });
  double best = 1e9;
  Plan plan;
  for (int i = 0; i < 5; ++i) {
    world.drop_pod(fmt::format("running-{}-0", i * 7), fmt::format("running-{}", i * 7));
    input = world.input(place_only);
    best = std::min(best, milliseconds([&] { plan = planner.plan(input); }));
  }
  report({name, "-", 2, {.placed = 1}}, cold, best, plan);
}

void run_all(Gpus kind, const char* what) {
  allocate(kind, what, 100, 500, "92 ms", 2);
  allocate(kind, what, 500, 4000, "398 s", 200);
  unsolvable(kind, what, 100, "30.7 s");
  unsolvable(kind, what, 200, "121 s");
  unsolvable(kind, what, 500, "127 s");
  large(kind, what, 200, "6.2 s");
  many(kind, what, 200, "22.4 s");
  gang(kind, what);
  incremental(kind, what);
}

}  // namespace
}  // namespace dray::bench

int main(int argc, char** argv) {
  if (argc > 1) dray::bench::wanted = argv[1];
  fmt::print("{:<58} {:>9} {:>9} {:>8}  {}\n", "milliseconds", "cold", "again", "target", "KAI");
  dray::bench::run_all(dray::bench::Gpus::node_resource, "node resource");
  dray::bench::run_all(dray::bench::Gpus::slices, "DRA");
}
