#include "app/common/feature_gates.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace dray::app {

void add_feature_gates(CLI::App& command, std::vector<std::string>& gates) {
  command
      .add_option("--feature-gates", gates,
                  "Kubernetes' gates for DRA, as DRADerivedAttributes=true")
      ->delimiter(',')
      ->allow_extra_args(false);
}

Result<void> set_feature_gates(alloc::Features& features, std::span<const std::string> gates) {
  for (const auto& gate : gates) {
    const auto equals = gate.find('=');
    const auto value = equals == std::string::npos ? "" : gate.substr(equals + 1);
    if ((value != "true" && value != "false") ||
        !features.set_gate(gate.substr(0, equals), value == "true")) {
      return fail(ErrorCode::invalid,
                  fmt::format("--feature-gates: \"{}\" is none; write DRADeviceTaints=true", gate));
    }
  }
  return {};
}

}  // namespace dray::app
