#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "app/common/command.h"
#include "app/reference/completion.h"
#include "app/reference/man_page.h"
#include "dray/base/suggest.h"

namespace dray::app {
namespace {

/// A script for a shell.
class CompletionCommand : public Command {
 public:
  explicit CompletionCommand(CLI::App& app) : app_(app) {
    auto* command =
        app.add_subcommand("completion", "Print a script that completes commands and flags");
    command->add_option("shell", shell_, "Whose script")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer(
        "bash: source <(dray completion bash); zsh: source <(dray completion zsh); fish: dray "
        "completion fish | source");
  }

  Result<int> run() override {
    const auto tree = command_tree(app_);
    const auto text = shell_ == "bash"  ? bash_completion(tree)
                      : shell_ == "zsh" ? zsh_completion(tree)
                                        : fish_completion(tree);
    std::fputs(text.c_str(), stdout);
    return done;
  }

 private:
  const CLI::App& app_;
  std::string shell_;
};

/// Manual pages.
class ManCommand : public Command {
 public:
  explicit ManCommand(CLI::App& app) : app_(app) {
    auto* command = app.add_subcommand("man", "Print a manual page, or write all of them");
    auto* of = command->add_option("command", words_, "Of which command: policy test");
    command->add_option("--dir", folder_, "Write every page into this folder, as dray-policy.1")
        ->excludes(of);
    command->footer("dray man policy test | man -l -");
  }

  Result<int> run() override {
    const auto tree = command_tree(app_);
    const auto commands = all_commands(tree);
    if (!folder_.empty()) return write_all(commands);
    auto asked = words_;
    asked.insert(asked.begin(), tree.name());
    for (const auto* command : commands) {
      if (command->path != asked) continue;
      std::fputs(man_page(*command).c_str(), stdout);
      return done;
    }
    std::vector<std::string> known;
    known.reserve(commands.size());
    for (const auto* command : commands) {
      known.push_back(fmt::format("{}", fmt::join(command->path, " ")));
    }
    const auto word = fmt::format("{}", fmt::join(asked, " "));
    return fail(ErrorCode::not_found, fmt::format("no command {}{}", word, suggest(word, known)));
  }

 private:
  [[nodiscard]] Result<int> write_all(const std::vector<const CommandTree*>& commands) const {
    for (const auto* command : commands) {
      const auto path = std::filesystem::path(folder_) / (man_name(*command) + ".1");
      std::ofstream file(path, std::ios::binary);
      file << man_page(*command);
      if (!file.flush()) return fail(ErrorCode::invalid, path.string() + ": cannot be written");
    }
    return done;
  }

  const CLI::App& app_;
  std::vector<std::string> words_;
  std::string folder_;
};

}  // namespace

std::unique_ptr<Command> add_completion(CLI::App& app) {
  return std::make_unique<CompletionCommand>(app);
}

std::unique_ptr<Command> add_man(CLI::App& app) {
  return std::make_unique<ManCommand>(app);
}

}  // namespace dray::app
