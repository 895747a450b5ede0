#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/exit_status.h"
#include "app/common/files.h"
#include "app/common/output.h"
#include "app/policy/policy_commands.h"
#include "app/policy/policy_test_file.h"
#include "wire/json/json_writer.h"
#include "wire/policy/policy_codec.h"
#include "wire/policy/policy_shape.h"

namespace dray::app {
namespace {

using Severity = policy::ConfigProblem::Severity;

struct CheckedFile {
  std::string path;
  wire::PolicyFile file;
};

std::string_view word(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

/// `policy.yaml:7:12: error: queues[0].quota.gpus: no resource gpus; did you mean gpu?`
std::string text_of(const std::vector<CheckedFile>& files) {
  std::string text;
  for (const auto& [path, file] : files) {
    for (const auto& problem : file.problems) {
      text += fmt::format("{}:{}:{}: {}: {}{}{}\n", path, problem.place.line, problem.place.column,
                          word(problem.severity), problem.path, problem.path.empty() ? "" : ": ",
                          problem.text);
    }
    if (!file.config) continue;
    const auto queues = file.config->queues.size();
    text += fmt::format("{}: valid, {} {}\n", path, queues, queues == 1 ? "queue" : "queues");
  }
  return text;
}

std::string json_of(const std::vector<CheckedFile>& files) {
  wire::JsonWriter out;
  out.begin_object();
  out.key("files");
  out.begin_list();
  for (const auto& [path, file] : files) {
    out.begin_object();
    out.key("file");
    out.string(path);
    out.key("valid");
    out.boolean(file.config.has_value());
    out.key("problems");
    out.begin_list();
    for (const auto& problem : file.problems) {
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
                     "Policy files, or folders with some (*.yaml but for *.test.yaml); - for the "
                     "standard input")
        ->required();
    add_output(*validate, output_);
    validate->footer("Exit status: 0 all are valid (warnings may be), 4 one is not.");
  }

  Result<int> run() override {
    std::vector<CheckedFile> checked;
    int status = exit_status::ok;
    const auto paths = policy_files(files_);
    if (!paths) return std::unexpected(paths.error());
    for (const auto& path : *paths) {
      const auto text = read_file(path);
      if (!text) return std::unexpected(text.error());
      checked.push_back({path, wire::read_policy(*text)});
      if (!checked.back().file.config) status = exit_status::invalid_policy;
    }
    std::fputs((is_data(output_) ? data_text(json_of(checked), output_) : text_of(checked)).c_str(),
               stdout);
    return status;
  }

 private:
  std::vector<std::string> files_;
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
