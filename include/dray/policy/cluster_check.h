#pragma once

#include <string>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/policy/config.h"

namespace dray::policy {

/// What the policy names that this cluster does not have (DeviceClasses, resources of nodes, labels
/// of topology levels), and quotas that exceed it several times: warnings in the order of the
/// policy, with the near name that there is. They keep no policy from being used, because classes
/// and nodes may come later; but a rule whose class does not exist counts nothing, so that quotas
/// and limits of its resource hold for nothing. A cluster without any node or class gives none.
/// Costs what the cluster has: not for the engine's strand.
[[nodiscard]] std::vector<ConfigProblem> check_against(const PolicyConfig& config,
                                                       const cluster::Snapshot& snapshot);

/// The same as one text for logs and pages: `resources.gpu[0].deviceClass: no DeviceClass …`.
[[nodiscard]] std::string text_of(const ConfigProblem& problem);

}  // namespace dray::policy
