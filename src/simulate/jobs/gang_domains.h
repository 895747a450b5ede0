#pragma once

#include <span>
#include <string>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/policy/policy.h"
#include "dray/simulate/jobs_run.h"

namespace dray::simulate {

/// The level that needs no label.
inline constexpr const char* node_level = "node";

/// The label keys of the policy's topologies, each once.
[[nodiscard]] std::vector<std::string> topology_levels(const policy::Policy& policy);

/// Counts a gang whose pods are on these nodes: whether they are all on one, and, by each label,
/// in one domain.
void count_gang(std::vector<GangSpread>& spreads, std::span<const NodeName> nodes,
                const cluster::Snapshot& snapshot, std::span<const std::string> levels);
/// Where nodes have no labels.
void count_gang(std::vector<GangSpread>& spreads, bool on_one_node);

}  // namespace dray::simulate
