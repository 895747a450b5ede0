#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "kube/exec_login.h"
#include "net/proxy.h"
#include "net/tls.h"
#include "net/url.h"

namespace dray::kube {

/// For how long a plugin may run: it may ask a cloud's server.
inline constexpr auto plugin_time = std::chrono::seconds(30);

/// How to reach an API server, and as whom.
struct ClusterConfig {
  net::Url server;
  net::ClientTls tls;
  std::optional<net::Proxy> proxy;  ///< by which the server is reached; none: directly
  std::string token;                ///< a fixed one
  std::string token_file;           ///< one that is replaced from time to time, and then read again
  /// A plugin that gives them; null: none.
  std::shared_ptr<const ExecLogin> exec;
  std::optional<wire::ExecCredential> given;  ///< by the plugin when this was read
  std::string namespace_name;
  std::vector<std::string> warnings;    ///< for the log: what is allowed, and unwise
  std::string name;                     ///< for messages: which files it is from
  std::vector<std::string> files = {};  ///< all that it was read from
  /// Reads the same files again; no plugin is run. Empty: it was not read from files.
  std::function<Result<ClusterConfig>()> read_again = nullptr;
};

/// From kubeconfig files that are one together (their current context if none is named). Paths are
/// relative to the file that they stand in. What is asked for and dray does not do (proxies of
/// other schemes than http, passwords, impersonation) is `unsupported`.
[[nodiscard]] Result<ClusterConfig> load_kubeconfig(std::span<const std::string> paths,
                                                    std::string_view context = {});
[[nodiscard]] Result<ClusterConfig> load_kubeconfig(const std::string& path,
                                                    std::string_view context = {});

/// From the environment and the files that Kubernetes gives to each pod. `getenv` reads the
/// environment; `folder` is where the service account is mounted.
using GetEnv = std::function<std::optional<std::string>(const char*)>;
/// That of this process.
[[nodiscard]] std::optional<std::string> process_environment(const char* name);
[[nodiscard]] Result<ClusterConfig> in_cluster_config(
    const GetEnv& getenv,
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

/// The kubeconfig files that kubectl would read: those of $KUBECONFIG that exist (separated by
/// colons), or where that is not set ~/.kube/config; none if there is no such file.
[[nodiscard]] std::vector<std::string> usual_kubeconfigs(const GetEnv& getenv);

/// Whether there is a cluster that is meant where nobody names one.
[[nodiscard]] bool has_usual_config(const GetEnv& getenv);
/// That cluster: the pod's, or that of the usual kubeconfig files. With a context: of these files.
[[nodiscard]] Result<ClusterConfig> usual_config(const GetEnv& getenv, std::string_view context);

}  // namespace dray::kube
