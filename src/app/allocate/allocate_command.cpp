#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/allocate/allocate_report.h"
#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/feature_gates.h"
#include "app/common/files.h"
#include "app/common/output.h"
#include "dray/planner/what_if.h"

namespace dray::app {
namespace {

struct AllocateFlags {
  ClusterSource source;
  std::vector<std::string> nodes;
  std::string mode = "best";
  std::string shares = "pack";
  std::vector<std::string> feature_gates;
  std::string like = "1.37.2";
  bool explain = false;
  std::string output = "table";
};

Result<alloc::AllocatorOptions> allocator_options(const AllocateFlags& flags) {
  alloc::AllocatorOptions options;
  options.mode = flags.mode == "best" ? alloc::Mode::best : alloc::Mode::first_fit;
  options.shares =
      flags.shares == "pack" ? alloc::SharePlacement::pack : alloc::SharePlacement::spread;
  if (flags.like == "1.37.0") options.compatibility = alloc::Compatibility::v0_37_0;
  if (auto set = set_feature_gates(options.features, flags.feature_gates); !set) {
    return std::unexpected(set.error());
  }
  return options;
}

/// The file's pods in their order; without any, a stand-in for each of its claims, or, without
/// those, for each of its templates. All else goes to `what_if`.
std::vector<Pod> askers(std::vector<KubeObject> objects, planner::WhatIf& what_if) {
  std::vector<Pod> pods;
  std::vector<ResourceClaim> claims;
  std::vector<ResourceClaim> of_templates;
  for (auto& object : objects) {
    auto& meta = meta_of(object);
    if (kind_info(kind_of(object)).namespaced && meta.namespace_name.empty()) {
      meta.namespace_name = "default";
    }
    if (auto* pod = std::get_if<Pod>(&object)) {
      pods.push_back(std::move(*pod));
      continue;
    }
    if (const auto* claim = std::get_if<ResourceClaim>(&object)) claims.push_back(*claim);
    if (const auto* source = std::get_if<ResourceClaimTemplate>(&object)) {
      of_templates.push_back(planner::WhatIf::claim_of(*source));
    }
    what_if.add(std::move(object));
  }
  if (!pods.empty()) return pods;
  const bool plain = !claims.empty();
  for (auto& claim : plain ? claims : of_templates) {
    pods.push_back(planner::WhatIf::user_of(claim));
    if (!plain) what_if.add(std::move(claim));
  }
  return pods;
}

class AllocateCommand : public Command {
 public:
  explicit AllocateCommand(CLI::App& app) {
    auto* command = app.add_subcommand(
        "allocate", "Show which devices pods or claims would get, or why none; changes nothing");
    add_cluster_source(*command, flags_.source);
    command->get_option("-f")
        ->description(
            "Manifests with pods (placed in their order), or claims, or templates; repeatable")
        ->required();
    command->add_option("--node", flags_.nodes, "Look at this node only (may be repeated)");
    command->add_option("--mode", flags_.mode, "best, or first-fit as kube-scheduler does it")
        ->check(CLI::IsMember({"best", "first-fit"}))
        ->capture_default_str();
    command->add_option("--shares", flags_.shares, "Shares of devices in mode best")
        ->check(CLI::IsMember({"pack", "spread"}))
        ->capture_default_str();
    add_feature_gates(*command, flags_.feature_gates);
    command->add_option("--like", flags_.like, "Release of the allocator that first-fit is like")
        ->check(CLI::IsMember({"1.37.0", "1.37.2"}))
        ->capture_default_str();
    command->add_flag("--explain", flags_.explain, "Say of every node why, and where devices went");
    add_output(*command, flags_.output, {"wide", "name"});
    command->get_option("--output")
        ->description("wide: each device by its whole name; name: the pods that get devices");
    command->footer(
        "Exit status: 0 all get devices, 1 somebody gets none, 2 or 3 an error (docs/cli.md).");
  }

  Result<int> run() override {
    const auto verdicts = allocate();
    if (!verdicts) return std::unexpected(verdicts.error());
    print(*verdicts);
    const bool waits = std::ranges::any_of(
        *verdicts, [](const auto& verdict) { return verdict.outcome.placements.empty(); });
    return waits ? no : done;
  }

 private:
  Result<std::vector<AllocateVerdict>> allocate() const {
    auto options = allocator_options(flags_);
    if (!options) return std::unexpected(options.error());
    cluster::ClusterState cluster;
    if (auto loaded = load(cluster); !loaded) return std::unexpected(loaded.error());
    std::optional<std::vector<NodeName>> only;
    for (const auto& node : flags_.nodes) {
      if (!cluster.node(NodeName(node))) {
        return fail(ErrorCode::not_found, "--node: the cluster has no node " + node);
      }
      if (!only) only.emplace();
      only->emplace_back(node);
    }
    auto asked = load_applied(flags_.source.files);
    if (!asked) return std::unexpected(asked.error());
    for (const auto* told : {&asked->left_out, &asked->strangers}) {
      print_warnings("allocate", *told);
    }
    planner::WhatIf what_if(std::move(cluster), std::move(*options), std::move(only));
    const auto pods = askers(std::move(asked->objects), what_if);
    if (pods.empty()) {
      return fail(ErrorCode::invalid, "-f: no Pod, ResourceClaim or ResourceClaimTemplate in it");
    }
    std::vector<AllocateVerdict> verdicts;
    for (const auto& pod : pods) {
      auto& verdict = verdicts.emplace_back();
      verdict.pod = pod.key();
      if (flags_.explain) verdict.nodes = what_if.explain(pod);
      verdict.outcome = what_if.place(pod);
    }
    return verdicts;
  }

  /// The cluster without what is asked about; where no other is given, -f holds all of it.
  Result<void> load(cluster::ClusterState& cluster) const {
    auto source = flags_.source;
    const bool alone = source.cluster.empty() && !source.live();
    if (!alone) source.files.clear();
    auto loaded = load_objects(source);
    if (!loaded) return std::unexpected(loaded.error());
    if (!alone) print_warnings("allocate", loaded->warnings);
    for (auto& object : loaded->objects) {
      if (alone && kind_of(object) == Kind::pod) continue;  // they come one by one
      cluster.apply(cluster::ObjectChanged{std::move(object)});
    }
    return {};
  }

  void print(const std::vector<AllocateVerdict>& verdicts) const {
    const auto text = is_data(flags_.output)
                          ? data_text(allocate_json(verdicts, flags_.mode), flags_.output)
                      : flags_.output == "name" ? allocate_names(verdicts)
                                                : allocate_table(verdicts, flags_.output == "wide");
    std::fputs(text.c_str(), stdout);
  }

  AllocateFlags flags_;
};

}  // namespace

std::unique_ptr<Command> add_allocate(CLI::App& app) {
  return std::make_unique<AllocateCommand>(app);
}

}  // namespace dray::app
