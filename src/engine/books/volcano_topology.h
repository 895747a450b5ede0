#pragma once

#include <expected>
#include <string>
#include <vector>

#include "dray/model/pod_group.h"
#include "dray/planner/pod_claims.h"
#include "dray/policy/gang.h"

namespace dray::engine {

/// What a Volcano PodGroup's networkTopology means by the policy's `topology`: Volcano's tiers are
/// its HyperNodes', which dray does not read; tier 1, the narrowest, is the last of `levels`. Hard:
/// the pods share one domain of the highest tier that is allowed, and a narrower one if they can;
/// soft: the narrowest that they can. Not ready: hard, and no level stands for that tier.
[[nodiscard]] std::expected<policy::TopologyConstraint, planner::NotReady> volcano_constraint(
    const VolcanoNetworkTopology& wanted, const std::vector<std::string>& levels);

}  // namespace dray::engine
