#include "dray/cluster/devices.h"

#include <algorithm>

namespace dray::cluster {

Result<bool> CompiledScope::matches(const NodeFacts& node) const {
  if (scope.node_name && !scope.node_name->get().empty()) return *scope.node_name == node.name;
  if (scope.all_nodes) return true;
  if (!scope.node_selector) return false;
  if (!matcher) return fail(ErrorCode::invalid, matcher_error);
  return matcher->matches(node);
}

const std::string& PublishedSlice::node_name() const {
  static const std::string none;
  return scope.scope.node_name ? scope.scope.node_name->get() : none;
}

std::pair<std::size_t, std::size_t> Pool::of_node(const std::string& node) const {
  const auto name_of = [](const PoolSlot& slot) -> const std::string& {
    return slot.slice->node_name();
  };
  const auto range = std::ranges::equal_range(slots, node, {}, name_of);
  const auto first = static_cast<std::size_t>(range.begin() - slots.begin());
  return {first, first + range.size()};
}

}  // namespace dray::cluster
