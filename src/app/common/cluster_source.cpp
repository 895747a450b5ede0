#include "app/common/cluster_source.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <utility>

#include "app/common/files.h"
#include "app/common/recorded_cluster.h"
#include "dray/cluster/state.h"
#include "dray/engine/share_wish.h"
#include "dray/sim/api_server.h"
#include "kube/api_path.h"
#include "kube/config.h"
#include "kube/list_objects.h"
#include "service/clock.h"

namespace dray::app {
namespace {

Result<kube::Listed> list_live(const ClusterSource& source, std::span<const Kind> kinds) {
  auto config = source.live_config();
  if (!config) return std::unexpected(std::move(config.error()));
  auto listed = kube::list_objects(*config, kinds);
  if (!listed) {
    return std::unexpected(std::move(listed.error())
                               .within(source.kubeconfig.empty()
                                           ? "the API server " + config->server.host
                                           : "kubeconfig " + source.kubeconfig));
  }
  listed->warnings.insert(listed->warnings.begin(), config->warnings.begin(),
                          config->warnings.end());
  return listed;
}

/// Manifests as they stand in an API server: complete, and each name once.
std::vector<KubeObject> admit(std::vector<KubeObject> objects) {
  const auto now = service::Clock().now();
  sim::ApiServer server;
  for (auto& object : objects) server.restore(std::move(object), now);
  std::vector<KubeObject> admitted;
  for (const auto& info : kind_table) {
    for (const auto& item : server.list(info.kind).items) admitted.push_back(*item);
  }
  return admitted;
}

/// Pods that are new, as manifests say of themselves by having no uid, get what the admission
/// policy of manifests/shares.yaml gives them.
void add_share_entries(std::vector<KubeObject>& objects) {
  const sim::ApiServerOptions cluster;
  for (auto& object : objects) {
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || !pod->meta.uid.get().empty() || pod->node_name) continue;
    if (pod->scheduler_name == cluster.scheduler_name) engine::add_share_entry(*pod);
  }
}

/// Puts `over` in place of what has the same name, and behind all else.
void overlay(std::vector<KubeObject>& objects, std::vector<KubeObject> over) {
  std::set<std::string> names;
  for (const auto& object : over) names.insert(describe(object));
  std::erase_if(objects, [&](const auto& object) { return names.contains(describe(object)); });
  std::ranges::move(over, std::back_inserter(objects));
}

}  // namespace

void add_cluster_source(CLI::App& command, ClusterSource& source) {
  command
      .add_option("-f,--filename", source.files,
                  "Manifests (YAML or JSON; - for the standard input); repeatable")
      ->allow_extra_args(false);
  auto* cluster =
      command
          .add_option("--cluster", source.cluster,
                      "Manifests, or a folder of them: the cluster; or a record of one (dray serve "
                      "--record, dray record)")
          ->allow_extra_args(false);
  command
      .add_option("--kubeconfig", source.kubeconfig,
                  "A live cluster, listed once (without any of these: $KUBECONFIG, else "
                  "~/.kube/config)")
      ->excludes(cluster);
  command.add_option("--context", source.context, "Of the kubeconfig, in place of its current one")
      ->excludes(cluster);
  command
      .add_option("--as-of", source.at,
                  "Of a record: as it was then (2026-01-02T03:04:05Z), and not at its end")
      ->needs(cluster);
}

bool ClusterSource::live() const {
  if (!kubeconfig.empty() || !context.empty()) return true;
  if (!files.empty() || !cluster.empty()) return false;
  return kube::has_usual_config(environment);
}

Result<kube::ClusterConfig> ClusterSource::live_config() const {
  return kubeconfig.empty() ? kube::usual_config(environment, context)
                            : kube::load_kubeconfig(kubeconfig, context);
}

Result<ClusterObjects> load_objects(const ClusterSource& source, std::span<const Kind> kinds) {
  const bool live = source.live();
  if (source.files.empty() && source.cluster.empty() && !live) {
    return fail(ErrorCode::invalid,
                "no cluster to look at: give -f FILE, --cluster DIR or --kubeconfig FILE");
  }
  ClusterObjects result;
  if (live) {
    auto listed = list_live(source, kinds);
    if (!listed) return std::unexpected(std::move(listed.error()));
    result.objects = std::move(listed->objects);
    result.warnings = std::move(listed->warnings);
  }
  std::vector<std::string> paths;
  std::vector<std::string> records;
  for (const auto& path : source.cluster) (is_record(path) ? records : paths).push_back(path);
  if (!records.empty()) {
    auto recorded = recorded_cluster(records, source.at);
    if (!recorded) return std::unexpected(std::move(recorded.error()));
    result.objects = std::move(recorded->objects);
    result.at = recorded->at;
  } else if (!source.at.empty()) {
    return fail(ErrorCode::invalid, "--as-of: --cluster names no record");
  }
  auto manifests = load_cluster(paths);
  if (!manifests) return std::unexpected(std::move(manifests.error()));
  auto applied = load_applied(source.files, source.later);
  if (!applied) return std::unexpected(std::move(applied.error()));
  add_share_entries(applied->objects);
  std::ranges::move(applied->objects, std::back_inserter(*manifests));
  for (const auto* told : {&applied->left_out, &applied->strangers}) {
    std::ranges::copy(*told, std::back_inserter(result.warnings));
  }
  result.strangers = std::move(applied->strangers);
  overlay(result.objects, admit(*std::move(manifests)));
  return result;
}

Result<ClusterObjects> load_objects(const ClusterSource& source) {
  return load_objects(source, kube::cluster_kinds());
}

std::shared_ptr<const cluster::Snapshot> snapshot_of(const std::vector<KubeObject>& objects) {
  cluster::ClusterState state;
  for (const auto& object : objects) state.apply(cluster::ObjectChanged{object});
  return state.snapshot();
}

void print_warnings(std::string_view command, const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) {
    fmt::print(stderr, "dray {}: warning: {}\n", command, warning);
  }
}

}  // namespace dray::app
