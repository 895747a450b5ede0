#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/colour.h"
#include "app/common/exit_status.h"
#include "app/common/files.h"
#include "app/common/output.h"
#include "app/common/policy_file.h"
#include "app/common/progress.h"
#include "app/policy/policy_commands.h"
#include "app/policy/policy_test_report.h"
#include "dray/base/count_of.h"
#include "dray/simulate/pod_fate.h"
#include "service/clock.h"

namespace dray::app {
namespace {

constexpr std::array<std::string_view, 2> test_endings{".test.yaml", ".test.yml"};

/// A case that cannot be played: the status that says whose fault it is.
struct Unplayable {
  Error error;
  int status = exit_status::usage;
};

/// Plays the cases of one file.
class CasePlayer {
 public:
  CasePlayer(const std::string& path, const PolicyTestFile& file, const engine::Options& options)
      : path_(path), file_(file), options_(options) {
    if (path != "-") folder_ = std::filesystem::path(path).parent_path().string();
  }

  std::expected<PlayedCase, Unplayable> play(const TestCase& test) {
    const auto config =
        policy(in_folder(test.policy.empty() ? file_.policy : test.policy, folder_));
    if (!config) {
      const bool invalid = config.error().code == ErrorCode::invalid;
      return stop(config.error(), test, invalid ? exit_status::invalid_policy : exit_status::usage);
    }
    auto sources = test.cluster.empty() ? file_.cluster : test.cluster;
    auto objects = load_test_objects(sources, folder_, warnings_);
    if (!objects) return stop(objects.error(), test);
    auto workload = load_test_workload(test.workload, folder_, warnings_);
    if (!workload) return stop(workload.error(), test);
    std::ranges::move(*workload, std::back_inserter(*objects));
    const auto now = test.at.empty() ? service::Clock().now() : *parse_time(test.at);
    auto cluster = make_test_cluster(*std::move(objects), test.jobs, options_, now);
    if (!cluster) return stop(cluster.error(), test);
    PlayedCase played{.name = test.name, .checks = {}};
    const auto decided = decide(test, cluster->objects, *config, now, played.plans);
    if (!decided) return stop(decided.error(), test, exit_status::invalid_policy);
    const auto fates = simulate::fates_of(*decided);
    played.checks.reserve(test.expect.size());
    for (const auto& want : test.expect) {
      played.checks.push_back(check_expectation(want, *cluster, fates));
    }
    return played;
  }

  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  using Config = std::shared_ptr<const policy::PolicyConfig>;

  /// `plans`: what is to be said of them.
  [[nodiscard]] Result<simulate::Decided> decide(const TestCase& test,
                                                 const std::vector<KubeObject>& objects,
                                                 const Config& config, Time now,
                                                 std::string& plans) const {
    const bool real = test.budgets == TestBudgets::real || file_.budgets == TestBudgets::real;
    if (!real) return simulate::decide_at_once(objects, config, options_, now);
    auto made = simulate::decide_in_plans(objects, config, options_, now);
    if (!made) return std::unexpected(std::move(made.error()));
    plans = count_of(made->plans, "plan");
    for (const auto& [kind, ended] : made->ended_by) {
      plans += fmt::format(", {} of them ended by budgets.{}", ended, planner::name(kind));
    }
    return std::move(made->decided);
  }

  std::unexpected<Unplayable> stop(const Error& error, const TestCase& test,
                                   int status = exit_status::usage) const {
    return std::unexpected(
        Unplayable{Error(error).within("case \"" + test.name + "\"").within(path_), status});
  }

  /// Read once, however many cases are of it.
  Result<Config> policy(const std::string& path) {
    auto& known = policies_[path];
    if (known) return known;
    auto read = load_policy(path);
    if (!read) return std::unexpected(std::move(read.error()));
    return known = std::make_shared<const policy::PolicyConfig>(*std::move(read));
  }

  std::string path_;
  const PolicyTestFile& file_;
  const engine::Options& options_;
  std::string folder_;
  std::map<std::string, Config> policies_;
  std::vector<std::string> warnings_;
};

/// Holds policy files against what they are to do.
class PolicyTest : public Command {
 public:
  explicit PolicyTest(CLI::App& policy) {
    auto* test = policy.add_subcommand(
        "test", "Play cases of a test file: cluster, jobs, and what is to become of them");
    test->add_option("files", paths_,
                     "Test files, or folders with *.test.yaml; - for the standard input")
        ->required();
    add_output(*test, output_);
    test->footer(
        "Exit status: 0 all is as expected, 1 something is not, 2 a file cannot be used, 4 a "
        "policy "
        "is not valid. The form of test files: docs/policy.md#testing-a-policy.");
  }

  Result<int> run() override {
    const auto paths = files_of(paths_, test_endings);
    if (!paths) return std::unexpected(paths.error());
    std::vector<PlayedFile> files;
    for (const auto& path : *paths) {
      const auto status = play(path, files);
      if (!status || *status != exit_status::ok) return status;
    }
    const auto text = is_data(output_) ? data_text(test_json(files), output_)
                                       : test_table(files, colours_output());
    std::fputs(text.c_str(), stdout);
    const bool passed = std::ranges::all_of(files, [](const PlayedFile& file) {
      return std::ranges::all_of(file.cases, &PlayedCase::passed);
    });
    return passed ? exit_status::ok : exit_status::finding;
  }

 private:
  Result<int> play(const std::string& path, std::vector<PlayedFile>& files) const {
    const auto text = read_file(path);
    if (!text) return std::unexpected(text.error());
    const auto read = read_policy_test(*text);
    for (const auto& problem : read.problems) {
      fmt::print(stderr, "dray policy test: {}:{}\n", path, problem.to_string());
    }
    if (!read.file) return exit_status::usage;
    PlayedFile played{.path = path, .cases = {}};
    CasePlayer player(path, *read.file, options_);
    Progress progress("policy test: plays cases of " + path, read.file->cases.size());
    for (std::size_t i = 0; i < read.file->cases.size(); ++i) {
      const auto& test = read.file->cases[i];
      auto made = player.play(test);
      progress.next();
      if (!made) {
        progress.end();
        fmt::print(stderr, "dray policy test: {}\n", made.error().error.message);
        return made.error().status;
      }
      made->line = read.case_lines[i];
      for (std::size_t j = 0; j < made->checks.size(); ++j) {
        made->checks[j].line = read.expectation_lines[i][j];
      }
      played.cases.push_back(*std::move(made));
    }
    progress.end();
    print_warnings("policy test", player.warnings());
    files.push_back(std::move(played));
    return exit_status::ok;
  }

  std::vector<std::string> paths_;
  std::string output_ = "table";
  engine::Options options_;
};

}  // namespace

std::unique_ptr<Command> add_policy_test(CLI::App& policy) {
  return std::make_unique<PolicyTest>(policy);
}

}  // namespace dray::app
