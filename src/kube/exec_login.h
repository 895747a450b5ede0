#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "wire/exec_credential_codec.h"

namespace dray::kube {

/// A plugin of a kubeconfig that gives tokens, and what it is told of its cluster.
class ExecLogin {
 public:
  /// `ca`: the cluster's certificate authority.
  ExecLogin(wire::KubeconfigContext context, std::string_view ca);

  /// Runs the plugin, as client-go does, without a terminal; it is killed after `at_most`, or
  /// when `stop` says so. Errors
  /// say what was run and, if it is not installed, the plugin's own hint. Client certificates, and
  /// plugins that need a terminal, are `unsupported`. Blocks. Any thread.
  [[nodiscard]] Result<wire::ExecCredential> run(std::chrono::milliseconds at_most,
                                                 const std::stop_token& stop = {}) const;

  bool operator==(const ExecLogin&) const = default;

 private:
  wire::KubeconfigContext context_;
  std::string info_;  ///< KUBERNETES_EXEC_INFO
};

}  // namespace dray::kube
