#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "wire/kubeconfig_codec.h"

namespace dray::wire {

/// What a plugin that logs in gave (client.authentication.k8s.io, ExecCredential, its status).
struct ExecCredential {
  std::string token;
  std::optional<Time> expires;
  bool has_certificate = false;
};

/// What the plugin is told in KUBERNETES_EXEC_INFO: that it has no terminal and, if it asks for
/// that, the cluster, with the text of its certificate authority.
[[nodiscard]] std::string encode_exec_info(const KubeconfigContext& context, std::string_view ca);

/// The ExecCredential that a plugin printed; it has to be of that apiVersion.
[[nodiscard]] Result<ExecCredential> decode_exec_credential(std::string_view json,
                                                            std::string_view api_version);

}  // namespace dray::wire
