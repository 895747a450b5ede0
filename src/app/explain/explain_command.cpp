#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/feature_gates.h"
#include "app/common/output.h"
#include "app/common/policy_file.h"
#include "app/common/progress.h"
#include "app/explain/explain_report.h"
#include "dray/base/suggest.h"
#include "dray/engine/at_once.h"
#include "dray/planner/explanation.h"
#include "service/clock.h"
#include "wire/explanation_codec.h"

namespace dray::app {
namespace {

/// Names that an error lists where none is near.
constexpr std::size_t most_listed = 8;

/// Why a pod waits, or where it runs or would go.
class ExplainCommand : public Command {
 public:
  explicit ExplainCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "explain", "Say why a pod or a job waits, what would help, or where it would go");
    command
        ->add_option("name", name_, "A pod, its job (PodGroup, Job…), or NAMESPACE/NAME of either")
        ->required();
    command->add_option("-n,--namespace", namespace_, "Where it is")->default_str("default");
    command->add_option("--policy", policy_, "The policy file in force; without it: none is");
    add_cluster_source(*command, source_);
    command->add_option("--scheduler-name", options_.scheduler_name, "Whose pods are dray's")
        ->capture_default_str();
    add_feature_gates(*command, feature_gates_);
    add_output(*command, output_, {"wide", "name"});
    command->get_option("--output")->description("wide: with the Reasons' names");
    command->footer(
        "It changes nothing. Exit status: 0 it runs, would start, or is not dray's; 1 it waits; 2 "
        "the command line or a file is wrong, or there is no such pod; 3 the cluster cannot be "
        "reached; 4 the policy cannot be used.");
  }

  Result<int> run() override {
    const auto key = asked_key();
    if (!key) return std::unexpected(key.error());
    if (auto set = set_feature_gates(options_.allocator.features, feature_gates_); !set) {
      return std::unexpected(std::move(set.error()));
    }
    std::shared_ptr<const policy::PolicyConfig> config;
    if (!policy_.empty()) {
      auto read = load_policy(policy_);
      if (!read) return refuse_policy("explain", read.error());
      config = std::make_shared<const policy::PolicyConfig>(*std::move(read));
    }
    Progress reading("explain: reads the cluster");
    auto loaded = load_objects(source_);
    reading.end();
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    print_warnings("explain", loaded->warnings);
    const auto objects = engine::with_claims(std::move(loaded->objects));
    const auto now = loaded->at.value_or(service::Clock().now());
    Progress planning("explain: makes plans");
    const auto told = engine::at_once(objects, config, options_, now);
    if (!told) {
      planning.end();
      return refuse_policy("explain", Error(told.error()).within(policy_));
    }
    if (config) {
      const auto picture = told->engine->picture();
      print_warnings("explain", warnings_about(policy_, picture.policy->config, *picture.snapshot));
    }
    auto question = told->engine->question(*key, now);
    if (!question) return std::unexpected(unknown(*key, objects));
    question->input.budget = planner::PlanBudget::unbounded();
    const auto explanation = planner::explain(*question, engine::allocator_options(options_, 2));
    planning.end();
    print(explanation);
    const bool waits = explanation.standing == planner::Standing::waits ||
                       explanation.standing == planner::Standing::follows;
    return waits ? no : done;
  }

 private:
  [[nodiscard]] Result<PodKey> asked_key() const {
    const auto slash = name_.find('/');
    if (slash == std::string::npos) {
      return PodKey{namespace_.empty() ? "default" : namespace_, name_};
    }
    auto space = name_.substr(0, slash);
    if (!namespace_.empty() && namespace_ != space) {
      return fail(
          ErrorCode::invalid,
          fmt::format("{} is not in namespace {}: leave out one of them", name_, namespace_));
    }
    return PodKey{std::move(space), name_.substr(slash + 1)};
  }

  /// Says where there is such a name, or what is near.
  [[nodiscard]] static Error unknown(const PodKey& key, const std::vector<KubeObject>& objects) {
    std::vector<std::string> elsewhere;
    std::set<std::string> spaces;
    std::vector<std::string> here;
    for (const auto& object : objects) {
      const auto* pod = std::get_if<Pod>(&object);
      if (pod == nullptr) continue;
      spaces.insert(pod->meta.namespace_name);
      if (pod->meta.name == key.name) elsewhere.push_back(pod->key().to_string());
      if (pod->meta.namespace_name == key.namespace_name) here.push_back(pod->meta.name);
    }
    auto said = fmt::format("there is no pod or job {}", key.to_string());
    if (!elsewhere.empty()) {
      elsewhere.resize(std::min(elsewhere.size(), most_listed));
      said += fmt::format("; did you mean {}?", fmt::join(elsewhere, " or "));
    } else if (here.empty()) {
      const std::vector<std::string> known(spaces.begin(), spaces.end());
      const auto near = suggest_near(key.namespace_name, known);
      said += fmt::format("; there are no pods in namespace {}{}", key.namespace_name,
                          near.empty() ? ", see -n" : near);
    } else {
      said += here.size() <= most_listed ? suggest(key.name, here) : suggest_near(key.name, here);
    }
    return Error(ErrorCode::not_found, std::move(said));
  }

  void print(const planner::Explanation& explanation) const {
    const auto text = is_data(output_)    ? data_text(wire::encode(explanation), output_)
                      : output_ == "name" ? "pod/" + explanation.pod + "\n"
                                          : explanation_text(explanation, output_ == "wide");
    std::fputs(text.c_str(), stdout);
  }

  ClusterSource source_;
  std::string name_;
  std::string namespace_;
  std::string policy_;
  std::vector<std::string> feature_gates_;
  std::string output_ = "table";
  engine::Options options_;
};

}  // namespace

std::unique_ptr<Command> add_explain(CLI::App& app) {
  return std::make_unique<ExplainCommand>(app);
}

}  // namespace dray::app
