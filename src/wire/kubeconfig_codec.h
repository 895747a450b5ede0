#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/base/error.h"

namespace dray::wire {

/// A program that gives tokens (`user.exec`; client.authentication.k8s.io), as written.
struct ExecPlugin {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  ///< on top of dray's own
  std::string interactive_mode;                          ///< Never, IfAvailable, Always; empty
  bool provide_cluster_info = false;
  std::string install_hint;

  bool operator==(const ExecPlugin&) const = default;
};

/// The cluster and user of one context of a kubeconfig (client-go, clientcmd/api/v1), as written:
/// files are not read, data is still base64.
struct KubeconfigContext {
  std::string name;
  std::string namespace_name;
  // The cluster.
  std::string server;
  std::string ca_file;
  std::string ca_data;
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure = false;
  std::string cluster_folder;  ///< of the file that describes the cluster; its paths start there
  // The user.
  std::string user_folder;
  std::string certificate_file;
  std::string certificate_data;
  std::string key_file;
  std::string key_data;
  std::string token;
  std::string token_file;
  std::optional<ExecPlugin> exec;
  /// Ways to log in that the file asks for beside these: auth-provider, username, as.
  std::vector<std::string> other_logins;

  bool operator==(const KubeconfigContext&) const = default;
};

/// One file of a kubeconfig.
struct KubeconfigText {
  std::string name;    ///< for errors
  std::string folder;  ///< that it is in
  std::string text;    ///< YAML or JSON
};

/// The context of that name, or the current one if the name is empty. Several files are one
/// kubeconfig, as with $KUBECONFIG: of what has one name in two of them the first file's counts.
[[nodiscard]] Result<KubeconfigContext> decode_kubeconfig(std::span<const KubeconfigText> files,
                                                          std::string_view context = {});

}  // namespace dray::wire
