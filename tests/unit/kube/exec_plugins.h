#pragma once

#include <string>
#include <utility>
#include <vector>

#include "wire/kubeconfig_codec.h"

// Exec plugins of a kubeconfig that are shell scripts.
namespace dray::kube::testing {

inline constexpr const char* exec_v1 = "client.authentication.k8s.io/v1";

/// What a plugin prints, with these fields of its status.
inline std::string credential(const std::string& status) {
  return std::string(R"({"apiVersion":")") + exec_v1 + R"(","kind":"ExecCredential","status":{)" +
         status + "}}";
}

inline wire::ExecPlugin plugin(std::vector<std::string> args) {
  return {.api_version = exec_v1,
          .command = "sh",
          .args = std::move(args),
          .env = {},
          .interactive_mode = {},
          .provide_cluster_info = false,
          .install_hint = {}};
}

inline wire::ExecPlugin script(const std::string& text) {
  return plugin({"-c", text});
}

}  // namespace dray::kube::testing
