#pragma once

#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/cluster.h"
#include "dray/simulate/trace.h"

namespace dray::app {

/// What `--cluster` names: one of `openb:FILE`, `nodes:COUNTxGPUS` and `nodes:COUNTxKIND`, or
/// manifests and snapshots as every command reads them. `gpus`: see simulate::cluster_of(). Errors
/// name the file; what is left out goes into `warnings`.
[[nodiscard]] Result<simulate::Cluster> load_simulated_cluster(
    const std::vector<std::string>& sources, const std::string& gpus,
    const simulate::TraceRules& rules, std::vector<std::string>& warnings);

}  // namespace dray::app
