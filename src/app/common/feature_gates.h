#pragma once

#include <span>
#include <string>
#include <vector>

#include "dray/alloc/features.h"
#include "dray/base/error.h"

namespace CLI {
class App;
}

namespace dray::app {

/// --feature-gates GATE=true,…: Kubernetes' names, as its own programs take them.
void add_feature_gates(CLI::App& command, std::vector<std::string>& gates);

/// Switches them. An error names the first that is no such text, or no gate that dray knows.
[[nodiscard]] Result<void> set_feature_gates(alloc::Features& features,
                                             std::span<const std::string> gates);

}  // namespace dray::app
