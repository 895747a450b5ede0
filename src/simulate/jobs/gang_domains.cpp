#include "simulate/jobs/gang_domains.h"

#include <algorithm>
#include <optional>

namespace dray::simulate {
namespace {

void count(std::vector<GangSpread>& spreads, const std::string& level, bool together) {
  auto known = std::ranges::find(spreads, level, &GangSpread::level);
  if (known == spreads.end()) known = spreads.insert(spreads.end(), {.level = level});
  ++known->gangs;
  if (together) ++known->together;
}

/// Nothing: the node has none.
std::optional<std::string> domain_of(const cluster::Snapshot& snapshot, const NodeName& node,
                                     const std::string& label) {
  const auto index = snapshot.node(node);
  if (!index) return std::nullopt;
  const auto* value = snapshot.facts(*index).label(label);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace

std::vector<std::string> topology_levels(const policy::Policy& policy) {
  std::vector<std::string> levels;
  for (const auto& [name, labels] : policy.topologies) {
    for (const auto& label : labels) {
      if (std::ranges::find(levels, label) == levels.end()) levels.push_back(label);
    }
  }
  return levels;
}

void count_gang(std::vector<GangSpread>& spreads, std::span<const NodeName> nodes,
                const cluster::Snapshot& snapshot, std::span<const std::string> levels) {
  count_gang(spreads,
             std::ranges::adjacent_find(nodes, std::ranges::not_equal_to()) == nodes.end());
  for (const auto& label : levels) {
    const auto first = domain_of(snapshot, nodes.front(), label);
    count(spreads, label, first && std::ranges::all_of(nodes, [&](const NodeName& node) {
                            return domain_of(snapshot, node, label) == first;
                          }));
  }
}

void count_gang(std::vector<GangSpread>& spreads, bool on_one_node) {
  count(spreads, node_level, on_one_node);
}

}  // namespace dray::simulate
