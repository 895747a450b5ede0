#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"

namespace dray::wire {

/// The cluster and user of one context of a kubeconfig file (client-go, clientcmd/api/v1), as
/// written: files are not read, data is still base64.
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
  // The user.
  std::string certificate_file;
  std::string certificate_data;
  std::string key_file;
  std::string key_data;
  std::string token;
  std::string token_file;
  /// Ways to log in that the file asks for beside these: exec, auth-provider, username, as.
  std::vector<std::string> other_logins;

  bool operator==(const KubeconfigContext&) const = default;
};

/// The context of that name, or the current one if the name is empty. YAML or JSON.
[[nodiscard]] Result<KubeconfigContext> decode_kubeconfig(std::string_view text,
                                                          std::string_view context = {});

}  // namespace dray::wire
