#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/common/command.h"
#include "app/common/feature_gates.h"
#include "app/common/files.h"
#include "app/common/output.h"
#include "app/lint/lint_manifests.h"
#include "dray/base/count_of.h"
#include "wire/json/json_writer.h"

namespace dray::app {
namespace {

std::string json_of(const LintResult& result) {
  wire::JsonWriter out;
  const auto text = [&out](std::string_view key, std::string_view value) {
    out.key(key);
    out.string(value);
  };
  const auto number = [&out](std::string_view key, int value) {
    out.key(key);
    out.integer(value);
  };
  out.begin_list();
  for (const auto& finding : result.findings) {
    out.begin_object();
    text("file", finding.file);
    number("line", finding.place.line);
    number("column", finding.place.column);
    text("object", finding.object);
    text("path", finding.path);
    text("message", finding.message);
    out.end_object();
  }
  out.end_list();
  return std::move(out).take();
}

class LintCommand : public Command {
 public:
  explicit LintCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "lint", "Check DRA objects and the claims of pods as kube-apiserver 1.37 would");
    command->add_option("files", paths_, "Manifests, folders of them, or - for the standard input");
    command->add_option("-f,--filename", more_, "The same, as other commands take it; repeatable")
        ->allow_extra_args(false);
    add_output(*command, output_);
    add_feature_gates(*command, gates_);
    command->footer(
        "Exit status: 0 all is well, 1 something would be refused, 2 a file cannot be read.");
  }

  Result<int> run() override {
    paths_.insert(paths_.end(), more_.begin(), more_.end());
    if (paths_.empty()) {
      return fail(ErrorCode::invalid,
                  "what is to be checked? Name manifests, folders of them, or - for the standard "
                  "input");
    }
    if (auto set = set_feature_gates(options_.features, gates_); !set) {
      return std::unexpected(std::move(set.error()));
    }
    const auto files = manifest_files(paths_);
    if (!files) return std::unexpected(files.error());
    std::vector<std::string> texts;
    for (const auto& file : *files) {
      auto text = read_file(file);
      if (!text) return std::unexpected(std::move(text.error()));
      read_namespaces(*text, options_);
      texts.push_back(std::move(*text));
    }
    LintResult all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      auto result = lint_manifests(texts[i], (*files)[i], options_);
      all.objects += result.objects;
      all.expressions += result.expressions;
      std::ranges::move(result.findings, std::back_inserter(all.findings));
    }
    print(all, files->size());
    return all.findings.empty() ? done : no;
  }

 private:
  void print(const LintResult& result, std::size_t files) const {
    if (is_data(output_)) {
      return fmt::print("{}", data_text(json_of(result), output_));
    }
    for (const auto& finding : result.findings) fmt::print("{}\n", finding.text());
    fmt::print("{} and {} in {}, {} wrong\n", count_of(result.objects, "object"),
               count_of(result.expressions, "expression"), count_of(files, "file"),
               result.findings.size());
  }

  wire::ValidationOptions options_;
  std::vector<std::string> gates_;
  std::string output_ = "table";
  std::vector<std::string> paths_;
  std::vector<std::string> more_;
};

}  // namespace

std::unique_ptr<Command> add_lint(CLI::App& app) {
  return std::make_unique<LintCommand>(app);
}

}  // namespace dray::app
