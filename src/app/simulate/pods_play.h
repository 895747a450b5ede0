#pragma once

#include <string>

#include "app/simulate/simulate_flags.h"
#include "dray/base/error.h"

namespace dray::app {

/// `dray simulate` of a workload of Kubernetes' own pods: what it prints.
[[nodiscard]] Result<std::string> play_pods(const SimulateFlags& flags);

}  // namespace dray::app
