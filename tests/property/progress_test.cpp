#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>

#include "tests/policy_world.h"

// Progress: whatever the budgets and whoever stands in front, a job that fits is placed within a
// number of plans that depends on how many jobs wait.

namespace dray::engine::progress_test {
namespace {

using bench::Gpus;
using bench::PolicyWorld;

struct JobSketch {
  int queue = 0;
  int gpus = 1;
  int pods = 1;
  int priority = 50;
};

/// A world in which each job of `fits` has room whatever else is placed, and no other has any.
struct Sketch {
  int nodes = 1;
  int queues = 1;
  std::vector<JobSketch> fits, hopeless;
  planner::PlanBudget budget;
  bool flips = false;  ///< a node changes before each plan
};

std::ostream& operator<<(std::ostream& out, const Sketch& sketch) {
  out << sketch.nodes << " nodes, " << sketch.queues << " queues, budgets: jobs "
      << sketch.budget.jobs << " nodes " << sketch.budget.nodes_tried << " scenarios "
      << sketch.budget.scenarios << (sketch.flips ? ", changes" : "");
  for (const auto* jobs : {&sketch.fits, &sketch.hopeless}) {
    for (const auto& job : *jobs) {
      out << "\n"
          << (jobs == &sketch.fits ? "fits" : "hopeless") << ": queue " << job.queue << ", "
          << job.pods << " pods of " << job.gpus << " GPUs, priority " << job.priority;
    }
  }
  return out;
}

constexpr int gpus_a_node = 4;

Sketch any_sketch() {
  Sketch sketch;
  sketch.nodes = *rc::gen::inRange(1, 5);
  sketch.queues = *rc::gen::inRange(1, 4);
  const auto count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    sketch.fits.push_back(
        {*rc::gen::inRange(0, sketch.queues), 1, 1, *rc::gen::element(0, 50, 90)});
  }
  const auto more = *rc::gen::inRange(1, 24);
  for (int i = 0; i < more; ++i) {
    // More than any node has, more than is left of one, or more than all have together.
    const bool gang = *rc::gen::arbitrary<bool>();
    sketch.hopeless.push_back({*rc::gen::inRange(0, sketch.queues),
                               gang ? 1 : *rc::gen::inRange(2, gpus_a_node + 3),
                               gang ? *rc::gen::inRange(6, 9) : 1, *rc::gen::element(50, 90)});
  }
  sketch.budget = {.jobs = *rc::gen::inRange<std::size_t>(1, 6),
                   .nodes_tried = *rc::gen::inRange<std::size_t>(1, 12),
                   .evictions = 0,
                   .scenarios = *rc::gen::inRange<std::size_t>(1, 4)};
  sketch.flips = *rc::gen::arbitrary<bool>();
  return sketch;
}

/// One GPU is free for each job that fits, all others run; hopeless jobs ask for two of a node.
PolicyWorld build(const Sketch& sketch, Gpus kind) {
  PolicyWorld world(kind);
  for (int i = 0; i < sketch.queues; ++i) world.queue("q" + std::to_string(i), "", 1, 1);
  const auto fits = static_cast<int>(sketch.fits.size());
  for (int i = 0; i < sketch.nodes; ++i) world.node("big" + std::to_string(i), gpus_a_node);
  for (int i = 0; i < fits; ++i) world.node("free" + std::to_string(i), 1);
  for (int i = 0; i < sketch.nodes; ++i) {
    world.job({.name = "run" + std::to_string(i),
               .queue = "q0",
               .gpus = gpus_a_node,
               .on = "big" + std::to_string(i),
               .required = {}});
  }
  const auto add = [&](const std::string& name, const JobSketch& job) {
    world.job({.name = name,
               .queue = "q" + std::to_string(job.queue),
               .gpus = job.gpus,
               .pods = job.pods,
               .on = {},
               .required = {},
               .priority = job.priority});
  };
  for (std::size_t i = 0; i < sketch.hopeless.size(); ++i) {
    add("hopeless" + std::to_string(i), sketch.hopeless[i]);
  }
  for (std::size_t i = 0; i < sketch.fits.size(); ++i)
    add("fits" + std::to_string(i), sketch.fits[i]);
  return world;
}

/// Each turn of a job may be cut short so often, as what it is allowed doubles; a round is a turn
/// of each job.
std::size_t plans_enough(const Sketch& sketch) {
  const auto jobs = sketch.hopeless.size() + sketch.fits.size();
  constexpr std::size_t doublings = 12;
  return 2 + jobs * (1 + doublings);
}

TEST_CASE("every job that fits is placed, whatever the budgets and who stands in front") {
  const bool passed = rc::check("progress", [] {
    const auto sketch = any_sketch();
    RC_LOG() << sketch;
    auto world = build(sketch, *rc::gen::element(Gpus::node_resource, Gpus::slices));
    // One that remembers, or a new one for each plan: what is remembered must not matter.
    const bool remembers = *rc::gen::arbitrary<bool>();
    planner::Planner planner;
    planner::CarriedProgress progress;
    std::set<Uid> placed;
    std::size_t plans = 0;
    while (placed.size() < sketch.fits.size()) {
      RC_ASSERT(plans++ < plans_enough(sketch));
      if (sketch.flips) {
        const auto label = plans % 2 == 0 ? Labels{} : Labels{{"flips", "yes"}};
        world.node("spare", 0, label);
      }
      auto input = world.input({.place = true, .reclaim = sketch.budget.scenarios > 1});
      input.budget = sketch.budget;
      // Nobody has waited for so long that nodes are kept for it.
      input.now = bench::bench_start + std::chrono::minutes(1);
      input.progress = progress;
      if (!remembers) planner = planner::Planner();
      const auto made = planner.plan(input);
      progress = made.progress;
      for (const auto& outcome : made.jobs) {
        if (outcome.placements.empty()) continue;
        RC_ASSERT(outcome.job.get().starts_with("fits"));
        placed.insert(outcome.job);
      }
      world.start(made);
    }
  });
  CHECK(passed);
}

}  // namespace
}  // namespace dray::engine::progress_test
