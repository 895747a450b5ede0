#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/bench/policy_workload.h"
#include "tests/bench/stopwatch.h"

// Whole plans, with the budgets that dray has by default, on workloads that KAI's scheduler is
// timed on as well (tests/kai/bench); and what only dray does. `cold` is a planner's first plan,
// that remembers nothing; `again` the same with its memory of the one before; of both the least
// of several counts. A workload that does not fit into one plan's budget takes as many plans as
// it needs.
//
// usage: dray_policy_bench [--json] [--workload FILE] [PART OF A NAME]

namespace dray::bench {
namespace {

using planner::Plan;
using planner::PlanInput;
using planner::Planner;

struct Flavour {
  const char* name;
  Gpus gpus;
  alloc::Mode mode;
};
constexpr Flavour flavours[] = {{"node resource", Gpus::node_resource, alloc::Mode::best},
                                {"DRA first-fit", Gpus::slices, alloc::Mode::first_fit},
                                {"DRA best", Gpus::slices, alloc::Mode::best}};

Planner planner_of(const Flavour& flavour) {
  alloc::AllocatorOptions options;
  options.mode = flavour.mode;
  return Planner(options);
}

double milliseconds(const std::function<void()>& work) {
  const Stopwatch watch;
  work();
  return watch.milliseconds();
}

struct Row {
  std::string name;
  std::string peer;  ///< the workload that KAI was timed on, if any
  double cold = 1e300;
  double again = 1e300;
  int plans = 0;
  std::size_t placed = 0;
  std::size_t held = 0;
  std::size_t evicted = 0;
  double times_without = 0;  ///< of a row that compares: 0 in others
};

void count(Row& row, const Plan& plan) {
  for (const auto& job : plan.jobs) {
    row.placed += job.placements.size();
    row.held += job.held.size();
  }
  for (const auto& eviction : plan.evictions) row.evicted += eviction.pods.size();
}

/// One plan on each input, by one planner: what an engine asks for until nothing is left to do.
double plan_all(Planner& planner, std::span<const PlanInput> inputs) {
  return milliseconds([&] {
    for (const auto& input : inputs) (void)planner.plan(input);
  });
}

/// The inputs of as many plans as it takes, each with what the one before decided carried out.
std::vector<PlanInput> inputs_of(const Workload& workload, const Flavour& flavour, Row& row) {
  PolicyWorld world(flavour.gpus);
  workload.build(world);
  std::vector<PlanInput> inputs;
  auto planner = planner_of(flavour);
  planner::CarriedProgress progress;
  for (bool more = true; more;) {
    auto input = world.input(workload.actions());
    input.budget = workload.budget();
    input.progress = progress;
    const auto plan = planner.plan(input);
    progress = plan.progress;
    inputs.push_back(std::move(input));
    const auto before = row.placed;
    count(row, plan);
    more = plan.exhausted && row.placed > before;
    if (more) world.start(plan);
  }
  return inputs;
}

Row run(const Workload& workload, const Flavour& flavour) {
  Row row{.name = fmt::format("{}, {}", workload.name(), flavour.name), .peer = workload.name()};
  const auto inputs = inputs_of(workload, flavour, row);
  row.plans = static_cast<int>(inputs.size());
  const Stopwatch all;
  for (int i = 0; i < 3 || all.seconds() < 0.5; ++i) {
    auto planner = planner_of(flavour);
    row.cold = std::min(row.cold, plan_all(planner, inputs));
    row.again = std::min(row.again, plan_all(planner, inputs));
  }
  return row;
}

/// One pod of 20,000 ends, and the one job that waits gets its room. Here `again` is the plan after
/// the change; no peer does it.
Row one_pod_ends(const Flavour& flavour) {
  Row row{.name = fmt::format("one pod of 20,000 on 5,000 nodes ends, {}", flavour.name),
          .peer = {}};
  PolicyWorld world(flavour.gpus);
  for (int i = 0; i < 8; ++i) world.queue(fmt::format("queue-{}", i), "", 2500, 1);
  for (int i = 0; i < 5000; ++i) world.node(fmt::format("node{}", i), 4);
  for (int i = 0; i < 20'000; ++i) {
    world.job({.name = fmt::format("running-{}", i),
               .queue = fmt::format("queue-{}", i % 8),
               .on = fmt::format("node{}", i % 5000),
               .required = {}});
  }
  world.job({.name = "waiting", .queue = "queue-0", .on = {}, .required = {}});
  const planner::Actions place_only{true, false, false, false, false};
  auto planner = planner_of(flavour);
  const auto input_now = [&] {
    auto input = world.input(place_only);
    input.budget = {};
    return input;
  };
  auto input = input_now();
  row.cold = plan_all(planner, std::span(&input, 1));
  Plan plan;
  for (int i = 0; i < 5; ++i) {
    world.drop_pod(fmt::format("running-{}-0", i * 7), fmt::format("running-{}", i * 7));
    input = input_now();
    row.again = std::min(row.again, milliseconds([&] { plan = planner.plan(input); }));
  }
  row.plans = 1;
  count(row, plan);
  return row;
}

constexpr std::string_view beside_infeasible_name = "20,000 jobs wait, 19,000 of them infeasible";

/// Least time of a plan of 1,000 waiting jobs on a full cluster after a pod has ended, beside so
/// many that no node could take.
double time_beside(const Flavour& flavour, int infeasible, Row& row) {
  PolicyWorld world(flavour.gpus);
  for (int i = 0; i < 8; ++i) world.queue(fmt::format("queue-{}", i), "", 500, 1);
  for (int i = 0; i < 500; ++i) world.node(fmt::format("node{}", i), 8);
  const auto add = [&](std::string_view name, int i, std::int64_t gpus, std::string on) {
    world.job({.name = fmt::format("{}-{}", name, i),
               .queue = fmt::format("queue-{}", i % 8),
               .gpus = gpus,
               .on = std::move(on),
               .required = {}});
  };
  for (int i = 0; i < 4'000; ++i) add("running", i, 1, fmt::format("node{}", i % 500));
  for (int i = 0; i < infeasible; ++i) add("infeasible", i, 9, {});
  for (int i = 0; i < 1'000; ++i) add("waiting", i, 1, {});
  const planner::Actions place_only{true, false, false, false, false};
  auto planner = planner_of(flavour);
  auto input = world.input(place_only);
  input.budget = {};
  double least = 1e300;
  for (int i = -2; i < 10; ++i) {
    if (i >= 0) {
      // As an engine has it: what did not change is the same list.
      const Uid ended(fmt::format("running-{}", i));
      world.drop_pod(ended.get() + "-0", ended.get());
      input.jobs.update(std::set{ended}, [](const Uid&) { return planner::JobList::Item(); });
    }
    input.snapshot = world.input(place_only).snapshot;
    Plan plan;
    const auto took = milliseconds([&] { plan = planner.plan(input); });
    input.progress = plan.progress;
    if (i < 0) continue;  // the first ones find out who is infeasible
    least = std::min(least, took);
    count(row, plan);
    world.start(plan);
    for (const auto& outcome : plan.jobs) {
      if (!outcome.placements.empty()) input.jobs.put(world.find_job(outcome.job));
    }
  }
  return least;
}

/// Here `cold` is a plan without the infeasible jobs, `again` one with them.
Row beside_infeasible(const Flavour& flavour) {
  Row row{.name = fmt::format("{}, {}", beside_infeasible_name, flavour.name), .peer = {}};
  Row without;
  row.cold = time_beside(flavour, 0, without);
  row.again = time_beside(flavour, 19'000, row);
  row.times_without = row.again / row.cold;
  row.plans = 10;
  return row;
}

void report(const Row& row, bool json) {
  if (!json) {
    fmt::print("{:<92} {:>9.2f} {:>9.2f} {:>5}  placed {} held {} evicted {}\n", row.name, row.cold,
               row.again, row.plans, row.placed, row.held, row.evicted);
  } else if (row.times_without > 0) {
    fmt::print("{}\n",
               nlohmann::json{{"name", row.name}, {"times_without", row.times_without}}.dump());
  } else if (row.peer.empty()) {
    fmt::print("{}\n", nlohmann::json{{"name", row.name}, {"after_ms", row.again}}.dump());
  } else {
    const nlohmann::json line = {
        {"name", row.name},
        {"peer", row.peer},
        {"cold_ns", row.cold * 1e6},
        {"again_ns", row.again * 1e6},
        {"plans", row.plans},
        {"work", {{"placed", row.placed}, {"held", row.held}, {"evicted", row.evicted}}}};
    fmt::print("{}\n", line.dump());
  }
  (void)std::fflush(stdout);
}

int run_all(std::span<char* const> arguments) {
  bool json = false;
  std::string file = "tests/bench/workload/policy.jsonl";
  std::string wanted;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--json") {
      json = true;
    } else if (argument == "--workload" && i + 1 < arguments.size()) {
      file = arguments[++i];
    } else {
      wanted = argument;
    }
  }
  const auto workloads = read_workloads(file);
  if (workloads.empty()) {
    fmt::print(stderr, "{}: no workloads\n", file);
    return 2;
  }
  if (!json) fmt::print("{:<92} {:>9} {:>9} {:>5}\n", "milliseconds", "cold", "again", "plans");
  for (const auto& flavour : flavours) {
    for (const auto& workload : workloads) {
      if (workload.name().find(wanted) != std::string::npos) report(run(workload, flavour), json);
    }
    const std::string_view last = "one pod of 20,000 on 5,000 nodes ends";
    if (last.find(wanted) != std::string_view::npos) report(one_pod_ends(flavour), json);
    if (beside_infeasible_name.find(wanted) != std::string_view::npos) {
      report(beside_infeasible(flavour), json);
    }
  }
  return 0;
}

}  // namespace
}  // namespace dray::bench

int main(int argc, char** argv) {
  return dray::bench::run_all({argv, static_cast<std::size_t>(argc)});
}
