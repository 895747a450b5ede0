#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dray/base/error.h"
#include "kube/exec_login.h"
#include "net/proxy.h"
#include "net/tls.h"
#include "net/url.h"

namespace dray::kube {

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
  std::vector<std::string> warnings;  ///< for the log: what is allowed, and unwise
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

/// The bearer token to send now. Any thread.
class TokenSource {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TokenSource(const ClusterConfig& config);

  /// Reads the file again at most every 30 s (tokens rotate hourly, long before they expire). A
  /// plugin runs beside, a minute before its token expires; the caller waits for it where there is
  /// no token (any more). The last one stays while there is no other. Empty: none is sent.
  [[nodiscard]] std::string token(Clock::time_point now);
  /// The server refused it: another is wanted at once (of a plugin, at most every ten seconds).
  void refused();

 private:
  void read_file(Clock::time_point now);
  void run_plugin(Clock::time_point now);
  void take(const Result<wire::ExecCredential>& given, Clock::time_point now);

  // Fixed after construction.
  std::string fixed_;
  std::string file_;
  std::shared_ptr<const ExecLogin> exec_;
  // Shared.
  std::mutex mutex_;
  std::string current_;
  std::optional<Clock::time_point> read_at_;  ///< the file, or the plugin begun
  std::optional<Clock::time_point> expires_;
  bool refused_ = false;
  bool running_ = false;  ///< the plugin, beside
  std::jthread beside_;
};

}  // namespace dray::kube
