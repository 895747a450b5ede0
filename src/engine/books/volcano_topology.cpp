#include "engine/books/volcano_topology.h"

#include <algorithm>
#include <cstddef>

namespace dray::engine {
namespace {

planner::NotReady no_level(std::string what) {
  return {Reason::unsupported, "networkTopology of Volcano's PodGroup: " + std::move(what)};
}

}  // namespace

std::expected<policy::TopologyConstraint, planner::NotReady> volcano_constraint(
    const VolcanoNetworkTopology& wanted, const std::vector<std::string>& levels) {
  const bool hard = wanted.mode != "soft";
  if (levels.empty()) {
    return std::unexpected(
        no_level("the policy's topology names no node labels (the last is tier 1)"));
  }
  policy::TopologyConstraint constraint{.topology = {}, .required = {}, .preferred = levels.back()};
  if (!hard) return constraint;
  auto at = levels.end();
  if (!wanted.highest_tier_name.empty()) {
    at = std::ranges::find(levels, wanted.highest_tier_name);
    if (at == levels.end()) {
      return std::unexpected(no_level("highestTierName " + wanted.highest_tier_name +
                                      " is none of the policy's topology"));
    }
  } else {
    const auto tier = wanted.highest_tier.value_or(1);
    if (tier < 1 || static_cast<std::size_t>(tier) > levels.size()) {
      return std::unexpected(no_level(
          "highestTierAllowed " + std::to_string(tier) + ", and the policy's topology has " +
          std::to_string(levels.size()) + (levels.size() == 1 ? " level" : " levels")));
    }
    at = levels.end() - tier;
  }
  constraint.required = *at;
  if (constraint.required == constraint.preferred) constraint.preferred.clear();
  return constraint;
}

}  // namespace dray::engine
