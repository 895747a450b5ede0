#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/command.h"
#include "app/common/files.h"
#include "app/common/object_list.h"
#include "app/common/policy_file.h"
#include "app/common/record_files.h"
#include "app/common/recorded_cluster.h"
#include "app/replay/policy_diff.h"
#include "app/replay/replay_report.h"
#include "service/record/record_file.h"
#include "service/record/replay.h"

namespace dray::app {
namespace {

/// Gives a record to a new engine.
class ReplayCommand : public Command {
 public:
  explicit ReplayCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "replay", "Decide again what the flight recorder has (dray serve --record)");
    command->add_option("FILE", paths_, "Files of one record, or the folder of it")->required();
    auto* until = command->add_option(
        "--until", until_, "Write the cluster as it was then (2026-01-02T03:04:05Z) as a List");
    command
        ->add_option("--policy", policy_,
                     "Another policy file: which jobs would have fared otherwise, and why")
        ->excludes(until);
    command->footer(
        "Exit status: 0 the same decisions, 1 others (or, with --policy, jobs that would have "
        "fared otherwise), 2 a file cannot be used, 4 the policy is not valid.");
  }

  Result<int> run() override {
    const auto files = files_of(paths_, record_endings);
    if (!files) return std::unexpected(files.error());
    if (!until_.empty()) return snapshot(*files);
    if (!policy_.empty()) return compare_policy(*files);
    service::Replay replay;
    if (auto fed = feed(replay, *files); !fed) return std::unexpected(std::move(fed.error()));
    std::fputs(replay_text(replay.report()).c_str(), stdout);
    return replay.report().differences == 0 && replay.report().from ? done : no;
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    return status_with_policy(error, policy_);
  }

 private:
  static Result<void> feed(service::Replay& replay, const std::vector<std::string>& files) {
    for (const auto& file : files) {
      auto read =
          service::read_record(file, [&](std::string_view line) { return replay.feed(line); });
      if (!read) return read;
    }
    return {};
  }

  [[nodiscard]] Result<int> snapshot(const std::vector<std::string>& files) const {
    if (auto until = parse_time(until_); !until) {
      return std::unexpected(std::move(until.error()).within("--until"));
    }
    const auto recorded = recorded_cluster(files, until_);
    if (!recorded) return std::unexpected(recorded.error());
    std::fputs(object_list(recorded->objects).c_str(), stdout);
    return done;
  }

  [[nodiscard]] Result<int> compare_policy(const std::vector<std::string>& files) const {
    auto config = load_policy(policy_);
    if (!config) return std::unexpected(std::move(config.error()));
    PolicyDiff diff(*std::move(config));
    service::Replay replay;
    replay.on_plan([&](const planner::PlanInput& input, const planner::Plan& plan) {
      diff.see(input, plan, replay.options());
    });
    if (auto fed = feed(replay, files); !fed) return std::unexpected(std::move(fed.error()));
    std::fputs(policy_diff_text(diff).c_str(), stdout);
    return diff.differences().empty() && diff.problem().empty() ? done : no;
  }

  std::vector<std::string> paths_;
  std::string until_;
  std::string policy_;
};

}  // namespace

std::unique_ptr<Command> add_replay(CLI::App& app) {
  return std::make_unique<ReplayCommand>(app);
}

}  // namespace dray::app
