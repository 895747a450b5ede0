#pragma once

#include <string>
#include <vector>

#include "app/simulate/simulate_flags.h"
#include "dray/base/error.h"
#include "dray/model/object.h"

namespace dray::app {

/// The workload of `pods:PATH`, with the pods that the controllers of its Jobs and the like make.
/// What is left out is warned of.
[[nodiscard]] Result<std::vector<KubeObject>> load_brought(const std::string& path);

/// `dray simulate` of a workload of Kubernetes' own pods: what it prints.
[[nodiscard]] Result<std::string> play_pods(const SimulateFlags& flags);

}  // namespace dray::app
