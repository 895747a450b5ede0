#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/exit_status.h"
#include "app/common/files.h"
#include "app/common/output.h"
#include "app/policy/policy_commands.h"
#include "app/policy/policy_test_file.h"
#include "dray/base/count_of.h"
#include "dray/policy/cluster_check.h"
#include "wire/json/json_writer.h"
#include "wire/policy/policy_codec.h"
#include "wire/policy/policy_shape.h"

namespace dray::app {
namespace {

using Severity = policy::ConfigProblem::Severity;

struct CheckedFile {
  std::string path;
  std::string valid;  ///< what it is, where it is valid: `3 queues`
  std::vector<wire::PolicyProblem> problems;
};

/// A policy, or a test of one, which says so by its kind; held to the cluster, if there is one.
CheckedFile check(std::string path, std::string_view text, const cluster::Snapshot* cluster) {
  auto read = wire::read_policy(text);
  CheckedFile checked{std::move(path), "", std::move(read.problems)};
  if (read.config) {
    checked.valid = count_of(read.config->queues.size(), "queue");
    if (cluster != nullptr) {
      std::ranges::move(wire::in_file(text, policy::check_against(*read.config, *cluster)),
                        std::back_inserter(checked.problems));
    }
    return checked;
  }
  const auto of_kind = [](const wire::PolicyProblem& problem) { return problem.path == "kind"; };
  auto test = read_policy_test(text);
  if (std::ranges::none_of(checked.problems, of_kind) ||
      std::ranges::any_of(test.problems, of_kind)) {
    return checked;
  }
  if (test.file) checked.valid = "a test of " + count_of(test.file->cases.size(), "case");
  checked.problems = std::move(test.problems);
  return checked;
}

std::string_view word(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

/// `policy.yaml:7:12: error: queues[0].quota.gpus: no resource gpus; did you mean gpu?`
std::string text_of(const std::vector<CheckedFile>& files) {
  std::string text;
  for (const auto& [path, valid, problems] : files) {
    for (const auto& problem : problems) {
      text += fmt::format("{}:{}:{}: {}: {}{}{}\n", path, problem.place.line, problem.place.column,
                          word(problem.severity), problem.path, problem.path.empty() ? "" : ": ",
                          problem.text);
    }
    if (!valid.empty()) text += fmt::format("{}: valid, {}\n", path, valid);
  }
  return text;
}

std::string json_of(const std::vector<CheckedFile>& files) {
  wire::JsonWriter out;
  out.begin_object();
  out.key("files");
  out.begin_list();
  for (const auto& [path, valid, problems] : files) {
    out.begin_object();
    out.key("file");
    out.string(path);
    out.key("valid");
    out.boolean(!valid.empty());
    out.key("problems");
    out.begin_list();
    for (const auto& problem : problems) {
      out.begin_object();
      out.key("severity");
      out.string(word(problem.severity));
      out.key("line");
      out.integer(problem.place.line);
      out.key("column");
      out.integer(problem.place.column);
      out.key("path");
      out.string(problem.path);
      out.key("text");
      out.string(problem.text);
      out.end_object();
    }
    out.end_list();
    out.end_object();
  }
  out.end_list();
  out.end_object();
  return std::move(out).take() + "\n";
}

/// In a folder beside its policies are their tests.
Result<std::vector<std::string>> policy_files(const std::vector<std::string>& given) {
  auto paths = manifest_files(given);
  if (!paths) return paths;
  std::erase_if(*paths, [&](const std::string& path) {
    const auto stem = std::filesystem::path(path).stem();
    return stem.extension() == ".test" && std::ranges::find(given, path) == given.end();
  });
  return paths;
}

class PolicyValidate : public Command {
 public:
  explicit PolicyValidate(CLI::App& policy) {
    auto* validate = policy.add_subcommand(
        "validate", "Say what is wrong with policy files, where, and what would be right");
    validate
        ->add_option("files", files_,
                     "Policy files and their tests, or folders with policies (*.yaml but for "
                     "*.test.yaml); - for the standard input")
        ->required();
    add_output(*validate, output_);
    add_cluster_source(*validate, source_);
    validate->footer(
        "With a cluster it warns of what a policy names that the cluster does not have, and of "
        "quotas that exceed it several times. "
        "Exit status: 0 all are valid (warnings may be), 4 one is not.");
  }

  Result<int> run() override {
    std::vector<CheckedFile> checked;
    int status = exit_status::ok;
    const auto paths = policy_files(files_);
    if (!paths) return std::unexpected(paths.error());
    std::shared_ptr<const cluster::Snapshot> cluster;
    if (names_cluster()) {
      auto loaded = load_objects(source_);
      if (!loaded) return std::unexpected(std::move(loaded.error()));
      print_warnings("policy", loaded->warnings);
      cluster = snapshot_of(loaded->objects);
    }
    for (const auto& path : *paths) {
      const auto text = read_file(path);
      if (!text) return std::unexpected(text.error());
      checked.push_back(check(path, *text, cluster.get()));
      if (checked.back().valid.empty()) status = exit_status::invalid_policy;
    }
    std::fputs((is_data(output_) ? data_text(json_of(checked), output_) : text_of(checked)).c_str(),
               stdout);
    return status;
  }

 private:
  [[nodiscard]] bool names_cluster() const {
    return !source_.files.empty() || !source_.cluster.empty() || !source_.kubeconfig.empty() ||
           !source_.context.empty();
  }

  std::vector<std::string> files_;
  ClusterSource source_;
  std::string output_ = "table";
};

class PolicySchema : public Command {
 public:
  explicit PolicySchema(CLI::App& policy) {
    auto* schema = policy.add_subcommand(
        "schema", "Print the JSON Schema (draft 7) of policy files or of their tests, for editors");
    schema->add_option("of", of_, "What it is the schema of")
        ->check(CLI::IsMember({"policy", "test"}))
        ->capture_default_str();
    schema->footer(
        "An editor with a YAML language server completes and explains keys once the file "
        "begins with\n  # yaml-language-server: $schema=policy.schema.json");
  }

  Result<int> run() override {
    const auto text = of_ == "test" ? policy_test_schema() : wire::policy_schema();
    std::fputs(text.c_str(), stdout);
    return exit_status::ok;
  }

 private:
  std::string of_ = "policy";
};

}  // namespace

std::unique_ptr<Command> add_policy_validate(CLI::App& policy) {
  return std::make_unique<PolicyValidate>(policy);
}

std::unique_ptr<Command> add_policy_schema(CLI::App& policy) {
  return std::make_unique<PolicySchema>(policy);
}

}  // namespace dray::app
