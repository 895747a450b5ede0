#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/doctor/live_reader.h"
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
    command->add_option("--partition", partition_,
                        "Of several drays the one of this partition, in the namespace "
                        "dray-NAME, with the scheduler name dray-scheduler-NAME");
    command->add_option("-n,--namespace", namespace_,
                        "Where dray is installed, if not in dray-system or dray-PARTITION");
    command->add_option("--leader-elect-name", lease_,
                        "Name of dray's Lease, where dray serve was given another one than dray");
    name_option_ =
        command->add_option("--scheduler-name", context_.scheduler_name, "Of dray's pods")
            ->capture_default_str();
    command->add_option("--kubeconfig", source_.kubeconfig,
                        "The cluster (without it: $KUBECONFIG, else ~/.kube/config)");
    command->add_option("--context", source_.context,
                        "Of the kubeconfig, in place of its current one");
    command->footer(
        "Stop dray first, and let kube-scheduler run with config/handback.yaml. Pods, claims and "
        "what is allocated stay, and so does all that other drays of the cluster have. Exit "
        "status: 0 nothing of dray's is left on pods and claims, 1 "
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
    where_ = installation_of(partition_, namespace_, lease_);
    context_.partition = !where_.partition.empty();
    if (name_option_->empty()) context_.scheduler_name = where_.named(context_.scheduler_name);
    const auto own = installed_objects(where_);
    const auto leases = list_leases(*config);
    if (!leases) return std::unexpected(leases.error());
    auto free = check_leader(**api, *leases);
    if (free) free = check_others(**api, *leases, own);
    if (!free) return std::unexpected(std::move(free.error()));
    for (const auto& step : policy_steps(own)) {
      if (auto taken = take(**api, step); !taken) return std::unexpected(std::move(taken.error()));
    }
    policies_gone_ = std::chrono::steady_clock::now();
    return hand_back(**api, *config);
  }

 private:
  static Result<std::vector<Lease>> list_leases(const kube::ClusterConfig& config) {
    const auto listed = kube::list_objects(config, std::array{Kind::lease});
    if (!listed) return std::unexpected(listed.error());
    std::vector<Lease> leases;
    for (const auto& object : listed->objects) {
      if (const auto* lease = std::get_if<Lease>(&object)) leases.push_back(*lease);
    }
    return leases;
  }

  /// What stands against it, which a dry run only says.
  Result<void> refuse(const std::string& why, bool forced) const {
    if (!forced && !dry_run_) return fail(ErrorCode::conflict, why);
    fmt::print(stderr, "dray handback: warning: {}\n", why);
    return {};
  }

  Result<void> check_leader(kube::AskNow& api, const std::vector<Lease>& leases) const {
    const auto answer = api.send("GET", "/version");
    if (!answer) return std::unexpected(answer.error());
    const auto now = parse_http_date(answer->date).value_or(service::Clock().now());
    const auto leader = live_leader(leases, where_, now);
    if (!leader) return {};
    return refuse(fmt::format("{} leads: stop it first (kubectl -n {} scale deployment dray "
                              "--replicas=0), or say --force",
                              *leader, where_.namespace_name),
                  force_);
  }

  /// The policies of other drays stay, and let nobody but drays take gates and marks off: what is
  /// done to pods and claims is done as this dray's account.
  Result<void> check_others(kube::AskNow& api, const std::vector<Lease>& leases,
                            const std::vector<Installed>& own) {
    const auto others = read_others(api, leases, where_);
    if (others.empty()) return {};
    context_.other_schedulers = schedulers_of(others);
    account_ = where_.account();
    const auto text = api.ask(
        "GET", resource_path("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", ""));
    if (!text) return std::unexpected(text.error());
    const auto policies = read_tree(*text);
    if (!policies) return std::unexpected(policies.error());
    const auto refusing = policies_that_refuse(*policies, own, account_);
    if (refusing.empty()) return {};
    return refuse(fmt::format("ValidatingAdmissionPolicy {} of another dray does not name {}: add "
                              "it first (otherAccounts of the chart)",
                              refusing.front(), account_),
                  false);
  }

  /// Again and again until a list shows nothing more: pods that were made while the gate's policy
  /// still acted are gated, too.
  Result<int> hand_back(kube::AskNow& api, const kube::ClusterConfig& config) {
    for (int round = 0;; ++round) {
      constexpr std::array kinds{Kind::resource_claim, Kind::pod};
      const auto listed = kube::list_objects(config, kinds);
      if (!listed) return std::unexpected(listed.error());
      const auto steps = object_steps(listed->objects, context_);
      failures_.clear();
      for (const auto& step : steps) {
        // The policies are gone already: whatever one object's trouble is, the others are done.
        auto taken = take(api, step);
        if (taken) continue;
        if (taken.error().code == ErrorCode::unavailable) return std::unexpected(taken.error());
        failures_.push_back(std::move(taken.error()));
      }
      const bool settled = steps.empty() && round > 0;
      if (!settled && !dry_run_ && round < most_rounds) {
        std::this_thread::sleep_for(policy_lag);
        continue;
      }
      if (!failures_.empty()) return unfinished();
      for (const auto& pod : left_behind(listed->objects, context_)) {
        fmt::print("left: {}: it waits for a part of a device, whose claim dray alone makes\n",
                   pod);
        ++left_;
      }
      fmt::print("{} {}, {} left.\n", done_.size(), dry_run_ ? "would be done" : "done", left_);
      return left_ == 0 ? done : no;
    }
  }

  /// Each round reads the objects anew: what is left failed in the last one, too.
  Result<int> unfinished() const {
    for (const auto& failure : failures_) {
      fmt::print(stderr, "dray handback: {}\n", failure.message);
    }
    return fail(
        failures_.front().code,
        fmt::format("{} of dray's marks on pods and claims are left: run dray handback again",
                    failures_.size()));
  }

  /// One step, again while a policy that is gone still refuses it. As oneself, too: dray's account
  /// of mode advise may not write claims.
  Result<void> take(kube::AskNow& api, const HandbackStep& step) {
    if (dry_run_) {
      const auto there =
          api.send("GET", step.path.ends_with("/status") ? step.path.substr(0, step.path.rfind('/'))
                                                         : step.path);
      if (!there) return std::unexpected(there.error());
      if (there->status == 200) tell("would " + step.doing, step);
      return {};
    }
    for (int attempt = 0;; ++attempt) {
      api.act_as(step.method == "PATCH" && attempt % 2 == 0 ? account_ : "");
      const auto answered = api.ask(step.method, step.path, step.body, step.content_type);
      api.act_as("");
      if (answered) break;
      const auto code = answered.error().code;
      if (code == ErrorCode::not_found) return {};
      const bool over = std::chrono::steady_clock::now() - policies_gone_ > policy_patience;
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
  std::string partition_;
  std::string namespace_;
  std::string lease_;
  CLI::Option* name_option_ = nullptr;
  Installation where_;
  OwnContext context_;
  std::string account_;  ///< whom to act as towards pods and claims; empty: oneself
  ClusterSource source_;
  std::chrono::steady_clock::time_point policies_gone_;
  std::set<std::string> done_;
  std::vector<Error> failures_;  ///< of the last round
  int left_ = 0;
};

}  // namespace

std::unique_ptr<Command> add_handback(CLI::App& app) {
  return std::make_unique<HandbackCommand>(app);
}

}  // namespace dray::app
