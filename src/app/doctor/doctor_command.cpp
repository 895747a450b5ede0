#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/feature_gates.h"
#include "app/common/files.h"
#include "app/common/output.h"
#include "app/doctor/doctor_report.h"
#include "app/doctor/live_reader.h"
#include "app/doctor/object_check.h"
#include "app/doctor/scheduler_config.h"
#include "kube/ask_now.h"
#include "kube/list_objects.h"
#include "service/clock.h"
#include "wire/object/object_codec.h"

namespace dray::app {
namespace {

Time wall_clock() {
  return service::Clock().now();
}

/// All that one run looks at.
struct Examined {
  std::vector<KubeObject> objects;
  std::vector<std::string> unreadable;
  LiveFacts facts;
  std::set<Kind> denied;  ///< kinds that may not be listed
  bool live = false;
};

class DoctorCommand : public Command {
 public:
  explicit DoctorCommand(CLI::App& app) {
    auto* command =
        app.add_subcommand("doctor", "Find what is wrong with dray's installation in a cluster");
    command->add_flag("--uninstall", uninstall_,
                      "Instead: what would be left behind if dray were taken away now");
    command->add_option("--scheduler-config", scheduler_config_,
                        "kube-scheduler's configuration (without it: what its Deployment mounts)");
    command->add_option("--policy", policy_,
                        "The policy file in force (without it: that of ConfigMap dray-policy)");
    command->add_option("--partition", partition_,
                        "Of several drays the one of this partition, in the namespace "
                        "dray-NAME, with the scheduler name dray-scheduler-NAME");
    command->add_option("-n,--namespace", namespace_,
                        "Where dray is installed, if not in dray-system or dray-PARTITION");
    command->add_option("--leader-elect-name", lease_,
                        "Name of dray's Lease, where dray serve was given another one than dray");
    name_option_ = command->add_option("--scheduler-name", wanted_.scheduler_name, "Of dray's pods")
                       ->capture_default_str();
    command->add_option("--mode", wanted_.mode, "Who chooses devices: dray or the in-tree plugin")
        ->transform(CLI::CheckedTransformer(std::map<std::string, SchedulerMode>{
            {"allocate", SchedulerMode::allocate}, {"advise", SchedulerMode::advise}}))
        ->default_str("allocate");
    add_feature_gates(*command, gates_);
    add_output(*command, output_);
    add_cluster_source(*command, source_);
    command->footer(
        "It changes nothing. Exit status: 0 nothing is wrong, 1 something is, 2 the command line "
        "or a file is wrong, 3 the cluster cannot be reached.");
  }

  [[nodiscard]] int usage_status() const override { return usage; }

  Result<int> run() override {
    if (auto set = set_feature_gates(features_, gates_); !set) return stop(set.error(), usage);
    where_ = installation_of(partition_, namespace_, lease_);
    if (name_option_->empty()) wanted_.scheduler_name = where_.named(wanted_.scheduler_name);
    installed_ = installed_objects(where_);
    if (wanted_.mode == SchedulerMode::advise) std::erase_if(installed_, is_allocators);
    const auto examined = examine();
    if (!examined) {
      const bool here = examined.error().code == ErrorCode::invalid ||
                        examined.error().code == ErrorCode::not_found ||
                        examined.error().code == ErrorCode::unsupported;
      return stop(examined.error(), here ? usage : unreachable);
    }
    for (const auto& note : examined->facts.notes) {
      fmt::print(stderr, "dray doctor: not looked at: {}\n", note);
    }
    return uninstall_ ? tell_stranded(*examined) : diagnose(*examined);
  }

 private:
  static constexpr int found = 1;
  static constexpr int usage = 2;
  static constexpr int unreachable = 3;

  static int stop(const Error& error, int status) {
    fmt::print(stderr, "dray doctor: {}\n", error.message);
    return status;
  }

  Result<Examined> examine() const {
    Examined examined;
    examined.live = source_.live();
    if (!examined.live) {
      auto objects = load_objects(source_);
      if (!objects) return std::unexpected(std::move(objects.error()));
      examined.objects = std::move(objects->objects);
      examined.unreadable = std::move(objects->warnings);
      return examined;
    }
    if (!source_.files.empty()) {
      return fail(ErrorCode::invalid, "give manifests, or a cluster, not both");
    }
    auto config = source_.live_config();
    if (!config) return std::unexpected(std::move(config.error()));
    print_warnings("doctor", config->warnings);
    if (auto seen = examine_live(*config, examined); !seen) {
      seen.error().code = ErrorCode::unavailable;
      return std::unexpected(
          std::move(seen.error()).within("the API server " + config->server.host));
    }
    return examined;
  }

  Result<void> examine_live(const kube::ClusterConfig& config, Examined& examined) const {
    auto api = kube::AskNow::make(config);
    if (!api) return std::unexpected(std::move(api.error()));
    auto facts = read_live_facts(**api, installed_, wall_clock, where_);
    if (!facts) return std::unexpected(std::move(facts.error()));
    examined.facts = *std::move(facts);
    // Pods after claims: who uses a claim is there when the pods are listed, or is gone.
    for (const auto kind : {Kind::lease, Kind::node, Kind::device_class, Kind::resource_slice,
                            Kind::resource_claim_template, Kind::resource_claim, Kind::pod}) {
      if (auto taken = take_kind(**api, config, kind, examined); !taken) return taken;
      // What was asked before took its time, and holders go on renewing.
      if (kind == Kind::lease) examined.facts.clocks = examined.facts.clocks.when(wall_clock());
    }
    examined.facts.installed.others = read_others(**api, leases_of(examined), where_);
    return {};
  }

  static std::vector<Lease> leases_of(const Examined& examined) {
    std::vector<Lease> leases;
    for (const auto& object : examined.objects) {
      if (const auto* lease = std::get_if<Lease>(&object)) leases.push_back(*lease);
    }
    return leases;
  }

  Result<void> take_kind(kube::AskNow& api, const kube::ClusterConfig& config, Kind kind,
                         Examined& examined) const {
    auto listed = kube::list_objects(config, std::array{kind});
    if (listed) {
      std::ranges::move(listed->objects, std::back_inserter(examined.objects));
      std::ranges::move(listed->warnings, std::back_inserter(examined.unreadable));
      return {};
    }
    if (listed.error().code != ErrorCode::denied) return std::unexpected(listed.error());
    examined.facts.notes.push_back(listed.error().message);
    examined.denied.insert(kind);
    if (kind != Kind::lease) return {};
    // dray's own account may read dray's Lease alone.
    const auto text =
        api.ask("GET", resource_path("coordination.k8s.io/v1", "Lease", where_.namespace_name) +
                           "/" + where_.lease);
    auto object = text ? wire::decode_object(*text) : std::unexpected(text.error());
    if (!object) return {};
    if (auto* known = std::get_if<KubeObject>(&*object)) examined.objects.push_back(*known);
    return {};
  }

  Result<int> diagnose(const Examined& examined) const {
    Findings findings;
    const auto add = [&](Findings more) { std::ranges::move(more, std::back_inserter(findings)); };
    ObjectContext context;
    context.scheduler_name = wanted_.scheduler_name;
    context.unreadable = examined.unreadable;
    context.exclusion = where_.describe("ConfigMap", "dray-exclusion");
    context.other_schedulers = schedulers_of(examined.facts.installed.others);
    if (examined.live) {
      // In mode advise nobody is to be kept from allocating.
      if (wanted_.mode == SchedulerMode::allocate) {
        context.exclusive_drivers = exclusive_drivers(examined.facts.installed);
      }
      add(diagnose_live(examined));
    }
    add(check_objects(examined.objects, context));
    auto policy = policy_findings(examined);
    if (!policy) return stop(policy.error(), usage);
    add(*std::move(policy));
    auto config = scheduler_findings(examined.facts.scheduler);
    if (!config) return stop(config.error(), usage);
    add(*std::move(config));
    sort_findings(findings);
    std::fputs(
        (is_data(output_) ? data_text(findings_json(findings), output_) : findings_text(findings))
            .c_str(),
        stdout);
    return findings.empty() ? done : found;
  }

  [[nodiscard]] Findings diagnose_live(const Examined& examined) const {
    const auto& facts = examined.facts;
    auto findings = check_installed(installed_, facts.installed, wanted_.scheduler_name);
    const auto add = [&](Findings more) { std::ranges::move(more, std::back_inserter(findings)); };
    if (wanted_.mode == SchedulerMode::advise) add(check_plugin_may_allocate(facts.installed));
    add(missing_rights(facts.missing_rights, where_));
    add(check_leases(leases_of(examined), facts.clocks, where_));
    add(check_versions(facts.versions, where_));
    if (!facts.gates.empty()) add(check_gates(facts.gates, features_));
    add(check_controller_managers(facts.controller_managers));
    return findings;
  }

  /// Of the policy file that is named, else of what is deployed, if anything is.
  [[nodiscard]] Result<Findings> policy_findings(const Examined& examined) const {
    auto text = examined.facts.policy_file;
    auto object = where_.describe("ConfigMap", "dray-policy") + ": policy.yaml";
    if (!policy_.empty()) {
      auto read = read_file(policy_);
      if (!read) return std::unexpected(std::move(read.error()));
      text = *std::move(read);
      object = policy_;
    }
    if (text.empty()) return Findings();
    auto findings = check_policy_file(text, object);
    if (examined.denied.contains(Kind::device_class)) return findings;
    std::ranges::move(check_policy_of_cluster(text, object, *snapshot_of(examined.objects)),
                      std::back_inserter(findings));
    return findings;
  }

  /// Of the file that is named, else of what is deployed, if anything is.
  [[nodiscard]] Result<Findings> scheduler_findings(const DeployedConfig& deployed) const {
    if (!scheduler_config_.empty()) {
      const auto text = read_file(scheduler_config_);
      if (!text) return std::unexpected(text.error());
      return check_scheduler_config(*text, scheduler_config_, wanted_);
    }
    if (!deployed.text.empty()) {
      return check_scheduler_config(deployed.text, deployed.where, wanted_);
    }
    fmt::print(stderr,
               "dray doctor: not looked at: kube-scheduler's configuration: give "
               "--scheduler-config FILE\n");
    return Findings();
  }

  [[nodiscard]] int tell_stranded(const Examined& examined) const {
    OwnContext context;
    context.scheduler_name = wanted_.scheduler_name;
    context.partition = !where_.partition.empty();
    context.other_schedulers = schedulers_of(examined.facts.installed.others);
    auto stranded = stranded_objects(examined.objects, context);
    std::vector<Installed> there;
    for (const auto& object : installed_) {
      if (object.is_admission() && examined.facts.installed.found.contains(object.path())) {
        there.push_back(object);
      }
    }
    std::ranges::move(stranded_policies(there), std::back_inserter(stranded));
    std::fputs(
        (is_data(output_) ? data_text(stranded_json(stranded), output_) : stranded_text(stranded))
            .c_str(),
        stdout);
    return stranded.empty() ? done : found;
  }

  bool uninstall_ = false;
  std::string partition_;
  std::string namespace_;
  std::string lease_;
  Installation where_;
  CLI::Option* name_option_ = nullptr;
  std::string scheduler_config_;
  std::string policy_;
  SchedulerWanted wanted_;
  std::vector<std::string> gates_;
  alloc::Features features_;
  std::string output_ = "table";
  ClusterSource source_;
  std::vector<Installed> installed_;
};

}  // namespace

std::unique_ptr<Command> add_doctor(CLI::App& app) {
  return std::make_unique<DoctorCommand>(app);
}

}  // namespace dray::app
