#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "net/tls.h"
#include "net/url.h"

namespace dray::kube {

/// How to reach an API server, and as whom.
struct ClusterConfig {
  net::Url server;
  net::ClientTls tls;
  std::string token;       ///< a fixed one
  std::string token_file;  ///< one that is replaced from time to time, and then read again
  std::string namespace_name;
  std::vector<std::string> warnings;  ///< for the log: what is allowed, and unwise
};

/// From a kubeconfig file (its current context if none is named). Paths in it are relative to it.
/// What it asks for and dray does not do (exec plugins, proxies, passwords) is `unsupported`.
[[nodiscard]] Result<ClusterConfig> load_kubeconfig(const std::string& path,
                                                    std::string_view context = {});

/// From the environment and the files that Kubernetes gives to each pod. `getenv` reads the
/// environment; `folder` is where the service account is mounted.
using GetEnv = std::function<std::optional<std::string>(const char*)>;
[[nodiscard]] Result<ClusterConfig> in_cluster_config(
    const GetEnv& getenv,
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

/// The bearer token to send now. Any thread.
class TokenSource {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TokenSource(const ClusterConfig& config)
      : fixed_(config.token), file_(config.token_file) {}

  /// Reads the file again at most every 30 s (tokens rotate hourly, long before they expire). The
  /// last one stays while the file cannot be read. Empty: none is sent.
  [[nodiscard]] std::string token(Clock::time_point now);
  /// The server refused it: read the file again at once.
  void refused();

 private:
  // Fixed after construction.
  std::string fixed_;
  std::string file_;
  // Shared.
  std::mutex mutex_;
  std::string current_;
  std::optional<Clock::time_point> read_at_;
};

}  // namespace dray::kube
