#include "planner/place/domain_tree.h"

#include <map>
#include <string_view>
#include <utility>

namespace dray::planner {

using cluster::NodeIndex;

DomainTree::DomainTree(const cluster::Snapshot& snapshot, const std::vector<std::string>& levels,
                       std::span<const NodeIndex> nodes) {
  domains_.push_back({});
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> known;
  for (const auto node : nodes) {
    const auto& facts = snapshot.facts(node);
    std::size_t at = 0;
    if (levels.empty() || facts.label(levels.front()) == nullptr) continue;
    domains_[0].nodes.push_back(node);
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const auto* value = facts.label(levels[level]);
      if (value == nullptr) break;
      const auto [found, added] = known.try_emplace({at, *value}, domains_.size());
      if (added) {
        domains_.push_back(
            {.parent = at, .level = level + 1, .value = *value, .children = {}, .nodes = {}});
        domains_[at].children.push_back(found->second);
      }
      at = found->second;
      domains_[at].nodes.push_back(node);
    }
  }
}

}  // namespace dray::planner
