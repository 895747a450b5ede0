#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/object.h"
#include "kube/config.h"

namespace CLI {
class App;
}

namespace dray::app {

/// Where a command finds the cluster: the flags that all commands that look at one share.
struct ClusterSource {
  std::vector<std::string> files;    ///< -f: manifests; `-` is the standard input
  std::vector<std::string> cluster;  ///< --cluster: a manifest or a folder of them
  std::string kubeconfig;            ///< --kubeconfig: a live cluster, listed once
  std::string context;               ///< --context of the kubeconfig
  kube::GetEnv environment = kube::process_environment;
  bool later = false;   ///< `files` are a workload: also pods that come when others have ended
  std::string at = {};  ///< --as-of: a moment of the record that --cluster names

  /// A live cluster: where nothing else is named, the one that kubectl would ask.
  [[nodiscard]] bool live() const;
  [[nodiscard]] Result<kube::ClusterConfig> live_config() const;
};

/// -f, --cluster, --kubeconfig, --context and --as-of. --cluster excludes the last two; -f may
/// stand alone or beside any, and its objects then replace those of the same name.
void add_cluster_source(CLI::App& command, ClusterSource& source);

struct ClusterObjects {
  std::vector<KubeObject> objects;    ///< no two of one kind and name
  std::vector<std::string> warnings;  ///< for the standard error
  std::optional<Time> at = {};        ///< of a record: when they were so
  /// Of `files`: objects of which it is not known what pods they make; in `warnings`, too.
  std::vector<std::string> strangers = {};
};

/// The objects as the API server would show them: with its defaults, a namespace where the kind has
/// one, and a uid. What -f names is as its controllers would have it: with the pods of Jobs and the
/// like. Of a live cluster only `kinds` are asked for; manifests give all that they have.
/// Errors name file and line, or the kubeconfig and the request that failed. Without any flag and
/// without a cluster that kubectl would ask the error says what to give.
[[nodiscard]] Result<ClusterObjects> load_objects(const ClusterSource& source,
                                                  std::span<const Kind> kinds);
/// The same with every kind that dray keeps.
[[nodiscard]] Result<ClusterObjects> load_objects(const ClusterSource& source);

/// The cluster that these objects are. Nothing is made that is not there: a pod's claims, for
/// example, are not generated from their templates.
[[nodiscard]] std::shared_ptr<const cluster::Snapshot> snapshot_of(
    const std::vector<KubeObject>& objects);

/// `dray COMMAND: warning: …` lines on the standard error.
void print_warnings(std::string_view command, const std::vector<std::string>& warnings);

}  // namespace dray::app
