#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/doctor/runtime_check.h"
#include "app/handback/handback_plan.h"
#include "kube/ask_now.h"
#include "kube/list_objects.h"
#include "service/clock.h"

namespace dray::app {
namespace {

using namespace std::chrono_literals;

/// An API server goes by a policy that was deleted for about a second more, a busy one for longer.
constexpr auto policy_lag = 1s;
constexpr auto policy_patience = 60s;
/// Lists in which something was left, where somebody goes on making it.
constexpr int most_rounds = 20;

class HandbackCommand : public Command {
 public:
  explicit HandbackCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "handback", "Give dray's pods to kube-scheduler's own plugin: no gates, no policies");
    command->add_flag("--dry-run", dry_run_, "Only say what would be done");
    command->add_flag("--force", force_,
                      "Also while a dray leads, which gates pods no more but "
                      "goes on planning and binding");
    command->add_option("--scheduler-name", context_.scheduler_name, "Of dray's pods")
        ->capture_default_str();
    command->add_option("--kubeconfig", source_.kubeconfig,
                        "The cluster (without it: $KUBECONFIG, else ~/.kube/config)");
    command->add_option("--context", source_.context,
                        "Of the kubeconfig, in place of its current one");
    command->footer(
        "Stop dray first, and let kube-scheduler run with config/handback.yaml. Pods, claims and "
        "what is allocated stay. Exit status: 0 nothing of dray's is left on pods and claims, 1 "
        "something is, 2 or 3 an error (docs/cli.md).");
  }

  Result<int> run() override {
    if (!source_.live()) {
      return fail(ErrorCode::invalid, "no cluster: give --kubeconfig FILE");
    }
    auto config = source_.live_config();
    if (!config) return std::unexpected(std::move(config.error()));
    print_warnings("handback", config->warnings);
    auto api = kube::AskNow::make(*config);
    if (!api) return std::unexpected(std::move(api.error()));
    if (auto free = check_leader(**api, *config); !free) {
      return std::unexpected(std::move(free.error()));
    }
    const auto policies = policy_steps(installed_objects());
    for (const auto& step : policies) {
      if (auto taken = take(**api, step); !taken) return std::unexpected(std::move(taken.error()));
    }
    return hand_back(**api, *config);
  }

 private:
  Result<void> check_leader(kube::AskNow& api, const kube::ClusterConfig& config) const {
    const auto answer = api.send("GET", "/version");
    if (!answer) return std::unexpected(answer.error());
    const auto now = parse_http_date(answer->date).value_or(service::Clock().now());
    constexpr std::array kinds{Kind::lease};
    const auto listed = kube::list_objects(config, kinds);
    if (!listed) return std::unexpected(listed.error());
    const auto leader = live_leader(listed->objects, now);
    if (!leader) return {};
    const auto text = fmt::format(
        "{} leads: stop it first (kubectl -n dray-system scale deployment dray "
        "--replicas=0), or say --force",
        *leader);
    if (!force_ && !dry_run_) return fail(ErrorCode::conflict, text);
    fmt::print(stderr, "dray handback: warning: {}\n", text);
    return {};
  }

  /// Again and again until a list shows nothing more: pods that were made while the gate's policy
  /// still acted are gated, too.
  Result<int> hand_back(kube::AskNow& api, const kube::ClusterConfig& config) {
    for (int round = 0;; ++round) {
      constexpr std::array kinds{Kind::resource_claim, Kind::pod};
      const auto listed = kube::list_objects(config, kinds);
      if (!listed) return std::unexpected(listed.error());
      const auto steps = object_steps(listed->objects, context_);
      for (const auto& step : steps) {
        if (auto taken = take(api, step); !taken) return std::unexpected(std::move(taken.error()));
      }
      const bool settled = steps.empty() && round > 0;
      if (!settled && !dry_run_ && round < most_rounds) {
        std::this_thread::sleep_for(policy_lag);
        continue;
      }
      for (const auto& pod : left_behind(listed->objects, context_)) {
        fmt::print("left: {}: it waits for a part of a device, whose claim dray alone makes\n",
                   pod);
        ++left_;
      }
      fmt::print("{} {}, {} left.\n", done_.size(), dry_run_ ? "would be done" : "done", left_);
      return left_ == 0 ? done : no;
    }
  }

  /// One step, again while a policy that is gone still refuses it.
  Result<void> take(kube::AskNow& api, const HandbackStep& step) {
    if (dry_run_) {
      const auto there =
          api.send("GET", step.path.ends_with("/status") ? step.path.substr(0, step.path.rfind('/'))
                                                         : step.path);
      if (!there) return std::unexpected(there.error());
      if (there->status == 200) tell("would " + step.doing, step);
      return {};
    }
    for (const auto begin = std::chrono::steady_clock::now();;) {
      const auto answered = api.ask(step.method, step.path, step.body, step.content_type);
      if (answered) break;
      const auto code = answered.error().code;
      if (code == ErrorCode::not_found) return {};
      const bool over = std::chrono::steady_clock::now() - begin > policy_patience;
      if (code != ErrorCode::denied || step.method == "DELETE" || over) {
        return std::unexpected(Error(answered.error()).within(step.doing + " " + step.object));
      }
      std::this_thread::sleep_for(policy_lag / 4);
    }
    tell(step.doing, step);
    return {};
  }

  void tell(const std::string& doing, const HandbackStep& step) {
    if (done_.insert(step.path + step.doing).second) fmt::print("{} {}\n", doing, step.object);
  }

  bool dry_run_ = false;
  bool force_ = false;
  StrandedContext context_;
  ClusterSource source_;
  std::set<std::string> done_;
  int left_ = 0;
};

}  // namespace

std::unique_ptr<Command> add_handback(CLI::App& app) {
  return std::make_unique<HandbackCommand>(app);
}

}  // namespace dray::app
