#include "planner/place/domains.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>

namespace dray::planner {
namespace {

using cluster::NodeIndex;

constexpr std::int64_t domain_weight = 100'000;
/// A resource that the tasks need and the nodes lack fills them this much.
constexpr double absent_ratio = 1000;

bool uniform(std::span<Task* const> tasks) {
  return std::ranges::all_of(tasks,
                             [&](const auto* task) { return task->shape == tasks.front()->shape; });
}

}  // namespace

const DomainTree& Domains::tree_of(const std::string& topology,
                                   const std::vector<std::string>& keys) {
  const auto known = trees_.find(topology);
  if (known != trees_.end()) return known->second;
  return trees_.emplace(topology, DomainTree(overlay_.snapshot(), keys, overlay_.nodes().by_name()))
      .first->second;
}

std::optional<Domains::Levels> Domains::levels_of(const policy::TopologyConstraint& constraint,
                                                  const std::vector<std::string>& keys) const {
  const auto level_of = [&](const std::string& name) -> std::optional<std::size_t> {
    const auto alias = policy_.level_aliases.find({constraint.topology, name});
    const auto& key = alias == policy_.level_aliases.end() ? name : alias->second;
    const auto at = std::ranges::find(keys, key);
    if (at == keys.end()) return std::nullopt;
    return static_cast<std::size_t>(at - keys.begin()) + 1;
  };
  Levels levels;
  if (!constraint.required.empty()) {
    const auto level = level_of(constraint.required);
    if (!level) return std::nullopt;
    levels.highest = levels.lowest = *level;
    levels.required = true;
  }
  if (!constraint.preferred.empty()) {
    const auto level = level_of(constraint.preferred);
    if (!level) return std::nullopt;
    levels.preferred = *level;
    levels.lowest = levels.required ? std::max(*level, levels.highest) : *level;
  }
  if (constraint.required.empty() && constraint.preferred.empty()) return std::nullopt;
  return levels;
}

double Domains::fullness(std::span<Task* const> tasks, std::span<const NodeIndex> nodes,
                         By by) const {
  const auto& table = overlay_.nodes();
  std::vector<double> need(table.columns(), 0);
  std::vector<double> free(table.columns(), 0);
  for (const auto* task : tasks) {
    if (by == By::least) {
      add_least(need, task->wanted());
    } else {
      add_demand(need, *task->demand, 1);
    }
  }
  for (const auto node : nodes) {
    const auto row = table.free(node);
    for (std::size_t i = 0; i < row.size(); ++i) free[i] += row[i];
  }
  double ratio = 0;
  for (std::size_t i = 0; i < need.size(); ++i) {
    if (need[i] <= 0) continue;
    ratio = std::max(ratio, free[i] <= 0 ? absent_ratio : need[i] / free[i]);
  }
  return ratio;
}

std::size_t Domains::room_for(Task& task, NodeIndex node) {
  if (fit_.refused(task, node) || fit_.verdict(task, node).releasing != Reason::none) return 0;
  const auto& table = overlay_.nodes();
  const auto free = table.free(node);
  double room = std::numeric_limits<double>::infinity();
  const auto& demand = task.wanted();
  if (demand.milli_cpu > 0) room = std::min(room, free[table.cpu_column()] / demand.milli_cpu);
  // Shared devices take more members than there are free devices.
  if (demand.least_devices > 0 && !task.shape->partial && !task.shape->singular) {
    room = std::min(room, free[table.devices_column()] / demand.least_devices);
  }
  constexpr double plenty = 1e6;
  return static_cast<std::size_t>(std::max(1.0, std::floor(std::min(room, plenty))));
}

bool Domains::may_take(std::span<Task* const> tasks, std::span<const NodeIndex> nodes) {
  if (tasks.empty()) return true;
  if (!uniform(tasks)) return fullness(tasks, nodes, By::least) < absent_ratio;
  std::size_t room = 0;
  for (const auto node : nodes) {
    room += room_for(*tasks.front(), node);
    if (room >= tasks.size()) return true;
  }
  return false;
}

bool Domains::anywhere(const policy::TopologyConstraint& constraint) {
  return constraint.topology.empty() && constraint.required.empty() && constraint.preferred.empty();
}

std::vector<NodeSet> Domains::sets(const policy::TopologyConstraint& constraint,
                                   std::span<Task* const> tasks, std::span<const NodeIndex> taken,
                                   const NodeSet& among) {
  if (anywhere(constraint)) return {among};
  const auto topology = policy_.topologies.find(constraint.topology);
  if (topology == policy_.topologies.end()) return {};
  const auto levels = levels_of(constraint, topology->second);
  if (!levels) return {};
  const auto& domains = tree_of(topology->first, topology->second).domains();
  const auto pins = levels->required ? taken : std::span<const NodeIndex>();
  const auto allowed = nodes_by_domain(domains, among);
  const auto order = by_fullness(domains, allowed, *levels, tasks, pins);
  const auto bonus = bonus_of(domains, *levels, order);
  std::vector<NodeSet> sets;
  for (std::size_t level = levels->lowest + 1; level-- > levels->highest;) {
    for (const auto index : order[level]) {
      if (allowed[index].empty() || !may_take(tasks, allowed[index])) continue;
      sets.push_back({allowed[index], bonus});
    }
  }
  return sets;
}

/// In each domain the nodes that are among those where the group may go.
std::vector<std::vector<NodeIndex>> Domains::nodes_by_domain(
    std::span<const DomainTree::Domain> domains, const NodeSet& among) const {
  std::vector<char> allowed(overlay_.nodes().size(), 0);
  for (const auto node : among.nodes) allowed[node.get()] = 1;
  std::vector<std::vector<NodeIndex>> nodes(domains.size());
  for (std::size_t i = 0; i < domains.size(); ++i) {
    std::ranges::copy_if(domains[i].nodes, std::back_inserter(nodes[i]),
                         [&](NodeIndex node) { return allowed[node.get()] != 0; });
  }
  return nodes;
}

/// The tree's domains level by level, siblings by how much the group fills them. Of the required
/// level only those with a node of `pins`, if there are any.
Domains::Order Domains::by_fullness(std::span<const DomainTree::Domain> domains,
                                    std::span<const std::vector<NodeIndex>> allowed,
                                    const Levels& levels, std::span<Task* const> tasks,
                                    std::span<const NodeIndex> pins) const {
  std::vector<char> pinned(overlay_.nodes().size(), 0);
  for (const auto node : pins) pinned[node.get()] = 1;
  Order order(levels.lowest + 1);
  const std::function<void(std::size_t)> visit = [&](std::size_t index) {
    const auto& domain = domains[index];
    if (!pins.empty() && domain.level == levels.highest &&
        std::ranges::none_of(domain.nodes, [&](auto node) { return pinned[node.get()] != 0; })) {
      return;
    }
    order[domain.level].push_back(index);
    if (domain.level == levels.lowest) return;
    std::vector<std::pair<double, std::size_t>> children;
    children.reserve(domain.children.size());
    for (const auto child : domain.children) {
      children.emplace_back(-fullness(tasks, allowed[child], By::asked), child);
    }
    std::ranges::sort(children, [&](const auto& a, const auto& b) {
      return std::tie(a.first, domains[a.second].value) <
             std::tie(b.first, domains[b.second].value);
    });
    for (const auto& child : children) visit(child.second);
  };
  visit(0);
  return order;
}

/// How much the nodes of preferred domains are wanted: later ones in the order more, as in KAI.
std::vector<std::int64_t> Domains::bonus_of(std::span<const DomainTree::Domain> domains,
                                            const Levels& levels, const Order& order) const {
  std::vector<std::int64_t> bonus;
  if (levels.preferred == 0) return bonus;
  bonus.assign(overlay_.nodes().size(), 0);
  const auto& ranked = order[levels.preferred];
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto score = static_cast<std::int64_t>((i + 1) * 10 / ranked.size());
    for (const auto node : domains[ranked[i]].nodes) bonus[node.get()] = score * domain_weight;
  }
  return bonus;
}

}  // namespace dray::planner
