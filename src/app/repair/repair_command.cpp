#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/output.h"
#include "app/repair/repair_report.h"
#include "dray/engine/audit.h"
#include "kube/write_now.h"

namespace dray::app {
namespace {

class RepairCommand : public Command {
 public:
  explicit RepairCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "repair", "Find devices that are in two claims, or kept for nobody, and free them");
    command->add_flag("--dry-run", dry_run_, "Only say what is wrong");
    command
        ->add_option("--scheduler-name", scheduler_name_, "Whose waiting pods' claims may give way")
        ->capture_default_str();
    add_output(*command, output_);
    add_cluster_source(*command, source_);
    command->footer(
        "Nothing is taken from a pod that has a node. Exit status: 0 nothing is wrong (any more), "
        "1 something is, 2 or 3 an error (docs/cli.md).");
  }

  Result<int> run() override {
    if (!dry_run_ && (!source_.live() || !source_.files.empty())) {
      return fail(ErrorCode::invalid,
                  "files cannot be repaired: give --dry-run, or --kubeconfig alone");
    }
    // Pods after claims: who uses a claim is there when the pods are listed, or is gone.
    constexpr std::array kinds{Kind::resource_claim, Kind::pod};
    const auto objects = load_objects(source_, kinds);
    if (!objects) return std::unexpected(objects.error());
    print_warnings("repair", objects->warnings);
    std::vector<RepairResult> results;
    for (auto& finding : plan_repair(objects->objects, scheduler_name_)) {
      auto said = finding.mendable() ? "would be released" : finding.advice;
      results.push_back({.finding = std::move(finding), .done = std::move(said)});
    }
    if (!dry_run_) {
      if (auto mended = mend(results); !mended) return std::unexpected(std::move(mended.error()));
    }
    const auto text =
        is_data(output_) ? data_text(repair_json(results), output_) : repair_table(results);
    std::fputs(text.c_str(), stdout);
    return std::ranges::all_of(results, &RepairResult::mended) ? done : no;
  }

 private:
  Result<void> mend(std::vector<RepairResult>& results) const {
    if (results.empty()) return {};
    const auto config = source_.live_config();
    if (!config) return std::unexpected(config.error());
    auto api = kube::WriteNow::make(*config);
    if (!api) return std::unexpected(std::move(api.error()));
    for (auto& result : results) {
      if (!result.finding.mendable()) continue;
      result.done = mend(**api, result.finding);
      result.mended = result.done.empty();
      result.done = result.mended ? "released" : "not mended: " + result.done;
    }
    return {};
  }

  /// What is in the way; empty: it is mended.
  std::string mend(kube::WriteNow& api, const RepairFinding& finding) const {
    const auto ours = [this](const Pod& pod) { return pod.scheduler_name == scheduler_name_; };
    const bool gives_way = finding.kind == Repair::double_use;
    for (const auto& user : finding.users) {
      if (finding.kind == Repair::unused) continue;
      const auto read = api.write(engine::ReadPod{{finding.claim.namespace_name, user.name}});
      if (!read && read.error().code != ErrorCode::not_found) return read.error().message;
      if (!engine::may_lose(user.uid, gives_way, read, ours)) {
        return fmt::format("pod {} uses it meanwhile", user.name);
      }
    }
    for (const auto& release : releases(finding)) {
      if (const auto outcome = api.write(release); !outcome) return outcome.error().message;
    }
    return {};
  }

  bool dry_run_ = false;
  std::string scheduler_name_ = "dray-scheduler";
  std::string output_ = "table";
  ClusterSource source_;
};

}  // namespace

std::unique_ptr<Command> add_repair(CLI::App& app) {
  return std::make_unique<RepairCommand>(app);
}

}  // namespace dray::app
