#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/common/command.h"
#include "app/common/files.h"
#include "app/lint/lint_expressions.h"
#include "dray/base/count_of.h"

namespace dray::app {
namespace {

class LintCommand : public Command {
 public:
  explicit LintCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "lint", "Check the CEL expressions in manifests as kube-apiserver 1.37 would");
    command->add_option("files", paths_, "Manifests, folders of them, or - for the standard input");
    command->add_option("-f,--filename", more_, "The same, as other commands take it; repeatable")
        ->allow_extra_args(false);
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
    const auto files = manifest_files(paths_);
    if (!files) return std::unexpected(files.error());
    std::size_t expressions = 0;
    std::size_t findings = 0;
    for (const auto& file : *files) {
      const auto text = read_file(file);
      if (!text) return std::unexpected(text.error());
      const auto result = lint_expressions(*text, file);
      for (const auto& finding : result.findings) fmt::print("{}\n", finding.text());
      expressions += result.expressions;
      findings += result.findings.size();
    }
    fmt::print("{} in {}, {} wrong\n", count_of(expressions, "expression"),
               count_of(files->size(), "file"), findings);
    return findings == 0 ? done : no;
  }

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> more_;
};

}  // namespace

std::unique_ptr<Command> add_lint(CLI::App& app) {
  return std::make_unique<LintCommand>(app);
}

}  // namespace dray::app
