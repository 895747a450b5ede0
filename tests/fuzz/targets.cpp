#include "tests/fuzz/targets.h"

#include <array>

namespace dray::fuzz {

std::span<const Target> targets() {
  static constexpr auto all = std::to_array<Target>({
      {"cel_compile", cel_compile},
      {"cel_evaluate", cel_evaluate},
      {"csv_trace", csv_trace},
      {"exec_credential", exec_credential},
      {"extender", extender},
      {"http_request", http_request},
      {"http_response", http_response},
      {"kubeconfig", kubeconfig},
      {"manifests", manifests},
      {"object", object},
      {"object_list", object_list},
      {"packed", packed},
      {"policy_file", policy_file},
      {"quantity", quantity},
      {"record_file", record_file},
      {"record_line", record_line},
      {"review", review},
      {"watch_stream", watch_stream},
      {"yaml", yaml},
  });
  return all;
}

}  // namespace dray::fuzz
