#include "dashboard/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "dray/engine/at_once.h"
#include "dray/simulate/measures.h"
#include "dray/simulate/policy_effect.h"
#include "report/effect_report.h"
#include "report/jobs_report.h"
#include "report/pods_report.h"
#include "wire/json/json_writer.h"
#include "wire/yaml/duration.h"

namespace dray::dashboard {
namespace {

using Config = std::shared_ptr<const policy::PolicyConfig>;
using Form = SimulationQuestion::Form;

/// Of a plan that nothing can end: some hundred times that of the service's own.
constexpr planner::PlanBudget at_once_budget{
    .jobs = 20'000, .nodes_tried = 2'000'000, .evictions = 2'000, .scenarios = 40'000};

std::string line_of(std::string_view key, std::string_view text) {
  wire::JsonWriter out;
  out.begin_object();
  out.key(key);
  out.string(text);
  out.end_object();
  return std::move(out).take();
}

class Simulation {
 public:
  Simulation(const SimulationQuestion& question, SimulatedCluster cluster,
             const SimulationLimits& limits, const SimulationListener& tell)
      : question_(question), cluster_(std::move(cluster)), limits_(limits), tell_(tell) {
    if (question_.workload) workload_ = *question_.workload;
  }

  Result<void> run() {
    if (cluster_.objects.size() > limits_.cluster_objects) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the cluster has {} objects, and more than {} are not played here: "
                              "take a dray snapshot, and play it elsewhere",
                              cluster_.objects.size(), limits_.cluster_objects));
    }
    for (const auto& text : question_.ignored) note(text);
    for (const auto& text : cluster_.unread) note("not read: " + text);
    if (cluster_.engine.mode == engine::Mode::advise) {
      note("played in mode allocate: in mode advise kube-scheduler chooses the devices");
    }
    if (!question_.workload) {
      if (auto told = effects(); !told) return told;
    }
    cluster_.objects = simulate::cluster_without(cluster_.objects, workload_);
    const auto policies = played();
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if (auto ran = play(policies[i], i + 1, policies.size()); !ran) return ran;
    }
    finish();
    return {};
  }

 private:
  void note(std::string_view text) const { tell_.line(line_of("note", text)); }

  [[nodiscard]] Config config_of(const TriedPolicy& tried) const {
    switch (tried.which) {
      case TriedPolicy::Which::in_force:
        return cluster_.in_force;
      case TriedPolicy::Which::none:
        return nullptr;
      case TriedPolicy::Which::given:
        return tried.config;
    }
    std::unreachable();
  }

  /// Without a workload the policy in force goes before the others, to compare with.
  [[nodiscard]] std::vector<TriedPolicy> played() const {
    auto policies = question_.policies;
    const bool has_own = std::ranges::any_of(policies, [](const TriedPolicy& tried) {
      return tried.which == TriedPolicy::Which::in_force;
    });
    if (!question_.workload && !has_own) policies.insert(policies.begin(), TriedPolicy());
    return policies;
  }

  Result<void> effects() {
    const auto objects = engine::with_claims(cluster_.objects);
    const auto decide = [&](const Config& config) {
      return simulate::decide_at_once(objects, config, cluster_.engine, cluster_.now,
                                      at_once_budget);
    };
    const auto was = decide(cluster_.in_force);
    if (!was) return std::unexpected(Error(was.error()).within("the policy in force"));
    for (const auto& tried : question_.policies) {
      if (tried.which == TriedPolicy::Which::in_force) continue;
      const auto would = decide(config_of(tried));
      if (!would) return std::unexpected(Error(would.error()).within("policy " + tried.name));
      if (was->plan.exhausted || would->plan.exhausted) {
        note("more waits than one plan looks at here: what changes at once is not all of it");
      }
      tell_effect(tried, simulate::effect_of(*was, *would));
    }
    return {};
  }

  void tell_effect(const TriedPolicy& tried, const simulate::PolicyEffect& effect) {
    if (question_.form == Form::table) {
      if (question_.policies.size() > 1) text_ += tried.name + ":\n";
      text_ += report::effect_text(effect) + "\n";
    }
    if (question_.form != Form::json) return;
    wire::JsonWriter out;
    out.object([&](wire::FieldWriter& line) {
      line.object("effect", [&](wire::FieldWriter& io) {
        io.required("policy", tried.name);
        io.raw("atOnce", report::effect_json(effect));
      });
    });
    tell_.line(std::move(out).take());
  }

  Result<void> play(const TriedPolicy& tried, std::size_t number, std::size_t of) {
    simulate::PodsOptions options;
    options.engine = cluster_.engine;
    options.engine.mode = engine::Mode::allocate;
    if (question_.plan_pause) options.engine.plan_pause = *question_.plan_pause;
    options.until = question_.until;
    options.at_most = limits_.virtual_time;
    options.start = cluster_.now;
    options.run_time = question_.run_time;
    options.backlog = question_.backlog;
    options.seed = question_.seed;
    options.go_on = [&](const simulate::PodsProgress& pods) {
      return tell_.go_on({.policy = tried.name, .run = number, .runs = of, .pods = pods});
    };
    auto run = simulate::run_pods(cluster_.objects, workload_, config_of(tried), options);
    if (!run) return std::unexpected(std::move(run.error()).within("policy " + tried.name));
    if (run->cut && question_.until != limits_.virtual_time) {
      note(fmt::format("policy {}: ended after {}, since no run goes on for longer", tried.name,
                       wire::format_duration(limits_.virtual_time)));
    }
    run->policy = tried.name;
    runs_.push_back({question_.seed, *std::move(run)});
    configs_.push_back(config_of(tried));
    return {};
  }

  void finish() {
    if (question_.form == Form::json || question_.form == Form::prometheus) {
      // A cluster without devices has no such measures.
      (void)report::measure_pods(runs_, {cluster_.objects, configs_, ""});
    }
    if (question_.form == Form::json) return tell_.line(report::pods_json(runs_));
    const bool nobody =
        std::ranges::all_of(runs_, [](const auto& each) { return each.run.pods.empty(); });
    if (question_.form == Form::csv) {
      text_ += report::pods_csv(runs_);
    } else if (question_.form == Form::prometheus) {
      text_ += report::pods_metrics(runs_);
    } else if (!nobody || question_.workload) {
      text_ += report::pods_table(runs_);
    }
    tell_.line(line_of("text", text_));
  }

  const SimulationQuestion& question_;
  SimulatedCluster cluster_;
  const SimulationLimits& limits_;
  const SimulationListener& tell_;
  simulate::PodWorkload workload_;
  std::vector<report::PodsRunOfSeed> runs_;
  std::vector<Config> configs_;  ///< of each
  std::string text_;
};

}  // namespace

Result<void> simulate_question(const SimulationQuestion& question, SimulatedCluster cluster,
                               const SimulationLimits& limits, const SimulationListener& tell) {
  return Simulation(question, std::move(cluster), limits, tell).run();
}

std::string error_line(const Error& error) {
  wire::JsonWriter out;
  out.object([&](wire::FieldWriter& line) {
    line.object("error", [&](wire::FieldWriter& io) {
      io.required("code", std::string(name(error.code)));
      io.required("message", error.message);
    });
  });
  return std::move(out).take();
}

std::string progress_line(const SimulationProgress& progress) {
  wire::JsonWriter out;
  const auto count = [](wire::FieldWriter& io, std::string_view key, std::size_t value) {
    io.required(key, static_cast<std::int64_t>(value));
  };
  out.object([&](wire::FieldWriter& line) {
    line.object("progress", [&](wire::FieldWriter& io) {
      io.required("policy", progress.policy);
      count(io, "run", progress.run);
      count(io, "runs", progress.runs);
      io.raw("time", report::number(simulate::in_seconds(progress.pods.time)));
      count(io, "created", progress.pods.created);
      count(io, "bound", progress.pods.bound);
    });
  });
  return std::move(out).take();
}

}  // namespace dray::dashboard
