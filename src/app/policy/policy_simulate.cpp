#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/exit_status.h"
#include "app/common/output.h"
#include "app/common/policy_file.h"
#include "app/policy/policy_commands.h"
#include "dray/engine/at_once.h"
#include "dray/simulate/policy_effect.h"
#include "report/effect_report.h"

namespace dray::app {
namespace {

/// What a policy file would change.
class PolicySimulate : public Command {
 public:
  explicit PolicySimulate(CLI::App& policy) {
    auto* simulate = policy.add_subcommand(
        "simulate",
        "Show what would change at once in a cluster: admitted, moved, evicted, newly waiting");
    simulate->add_option("--policy", policy_, "The policy file to try")->required();
    simulate->add_option("--current", current_, "The one in force; without it: none is");
    add_cluster_source(*simulate, source_);
    simulate->add_option("--snapshot", source_.cluster, "As --cluster: a file of dray snapshot")
        ->excludes("--cluster")
        ->excludes("--kubeconfig");
    simulate->add_option("--at", at_,
                         "When that is (2026-01-02T03:04:05Z): run times and ages count; now");
    simulate->add_option("--scheduler-name", options_.scheduler_name, "Whose pods are dray's")
        ->capture_default_str();
    add_output(*simulate, output_);
    simulate->footer(
        "Exit status: 0 no job fares otherwise, 1 some do, 2 to 4 an error (docs/cli.md). Past "
        "usage does not count, "
        "and budgets of plans do not either: what would follow in a row of plans is shown as one.");
  }

  Result<int> run() override {
    const auto now = time();
    if (!now) return std::unexpected(now.error());
    auto objects = load_objects(source_);
    if (!objects) return std::unexpected(std::move(objects.error()));
    print_warnings("policy", objects->warnings);
    std::shared_ptr<const policy::PolicyConfig> in_force;
    if (!current_.empty()) {
      auto read = load_policy(current_);
      if (!read) return refuse_policy("policy", read.error());
      in_force = std::make_shared<const policy::PolicyConfig>(*std::move(read));
    }
    auto tried = load_policy(policy_);
    if (!tried) return refuse_policy("policy", tried.error());
    const auto cluster = engine::with_claims(std::move(objects->objects));
    const auto snapshot = snapshot_of(cluster);
    if (in_force) print_warnings("policy", warnings_about(current_, *in_force, *snapshot));
    print_warnings("policy", warnings_about(policy_, *tried, *snapshot));
    const auto was = simulate::decide_at_once(cluster, in_force, options_, *now);
    if (!was) return refuse_policy("policy", Error(was.error()).within(current_));
    const auto would = simulate::decide_at_once(
        cluster, std::make_shared<const policy::PolicyConfig>(*std::move(tried)), options_, *now);
    if (!would) return refuse_policy("policy", Error(would.error()).within(policy_));
    const auto effect = simulate::effect_of(*was, *would);
    std::fputs((is_data(output_) ? data_text(report::effect_json(effect), output_)
                                 : report::effect_text(effect))
                   .c_str(),
               stdout);
    return effect.jobs.empty() ? exit_status::ok : exit_status::finding;
  }

 private:
  [[nodiscard]] Result<Time> time() const {
    if (at_.empty()) {
      return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    }
    auto given = parse_time(at_);
    if (!given) return std::unexpected(std::move(given.error()).within("--at"));
    return given;
  }

  ClusterSource source_;
  std::string policy_;
  std::string current_;
  std::string at_;
  std::string output_ = "table";
  engine::Options options_;
};

}  // namespace

std::unique_ptr<Command> add_policy_simulate(CLI::App& policy) {
  return std::make_unique<PolicySimulate>(policy);
}

}  // namespace dray::app
