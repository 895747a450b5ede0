#include "cluster/node_table.h"

#include <algorithm>
#include <utility>

namespace dray::cluster {
namespace {

/// Whether an allocation can tell the two apart.
bool same_for_devices(const NodeFacts& a, const NodeFacts& b) {
  return a.labels == b.labels && a.hostname_label == b.hostname_label &&
         a.declared_features == b.declared_features;
}

bool same_but_version(const NodeFacts& a, const NodeFacts& b) {
  return same_for_devices(a, b) && a.uid == b.uid && a.unschedulable == b.unschedulable &&
         a.taints == b.taints && a.allocatable == b.allocatable;
}

}  // namespace

std::optional<NodeIndex> NodeTable::find(const NodeName& name) const {
  const auto at = index_.find(name.get());
  return at == index_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<NodeIndex>& NodeTable::own_names() {
  if (std::exchange(names_shared_, false)) {
    by_name_ = std::make_shared<std::vector<NodeIndex>>(*by_name_);
  }
  return *by_name_;
}

std::shared_ptr<const std::vector<NodeIndex>> NodeTable::freeze_names() {
  names_shared_ = true;
  return by_name_;
}

bool NodeTable::put(std::shared_ptr<const NodeFacts> facts) {
  const auto& name = facts->name;
  if (const auto known = find(name)) {
    const auto& old = *entry(*known).facts;
    const bool same = same_but_version(old, *facts);
    const bool same_devices = same_for_devices(old, *facts);
    auto& entry = nodes_.at_for_write(known->get());
    entry.facts = std::move(facts);
    if (!same_devices) entry.version = stamps_.next();
    return !same;
  }
  NodeIndex index;
  if (free_.empty()) {
    index = NodeIndex(static_cast<std::uint32_t>(nodes_.push_back({})));
  } else {
    index = free_.back();
    free_.pop_back();
  }
  index_.emplace(name.get(), index);
  auto& names = own_names();
  const auto name_of = [&](NodeIndex node) -> const NodeName& { return entry(node).facts->name; };
  const auto place = !names.empty() && name_of(names.back()) < name
                         ? names.end()
                         : std::ranges::lower_bound(names, name, {}, name_of);
  names.insert(place, index);
  auto& entry = nodes_.at_for_write(index.get());
  entry.version = stamps_.next();
  if (const auto beyond = beyond_.find(name.get()); beyond != beyond_.end()) {
    entry.use = std::make_shared<const NodeUse>(beyond->second.use);
    entry.pools = beyond->second.pools;
  }
  entry.facts = std::move(facts);
  stale_equivalence_.push_back(index);
  return true;
}

bool NodeTable::erase(const NodeName& name) {
  const auto known = index_.find(name.get());
  if (known == index_.end()) return false;
  const auto index = known->second;
  auto& names = own_names();
  names.erase(std::ranges::find(names, index));
  nodes_.at_for_write(index.get()) = NodeEntry{};
  free_.push_back(index);
  index_.erase(known);
  return true;
}

void NodeTable::publish_use(const NodeName& node, const NodeUse& use) {
  const auto index = find(node);
  if (!index) return;
  nodes_.at_for_write(index->get()).use = std::make_shared<const NodeUse>(use);
}

void NodeTable::charge(const NodeName& node, const NodeUse& use) {
  auto& held = beyond_[node.get()].use;
  held.add(use);
  publish_use(node, held);
}

void NodeTable::discharge(const NodeName& node, const NodeUse& use) {
  auto& held = beyond_[node.get()].use;
  held.subtract(use);
  publish_use(node, held);
  forget_if_unused(node.get());
}

/// Nodes come under ever new names. (A use of no pods is one of nothing.)
void NodeTable::forget_if_unused(const std::string& node) {
  const auto at = beyond_.find(node);
  if (at == beyond_.end()) return;
  const auto& [use, pools] = at->second;
  if (pools.empty() && use.requested.pods == 0 && use.ports.empty()) beyond_.erase(at);
}

void NodeTable::add_pool(const std::string& node, PoolIndex pool) {
  auto& pools = beyond_[node].pools;
  const auto at = std::ranges::lower_bound(pools, pool);
  if (at != pools.end() && *at == pool) return;
  pools.insert(at, pool);
  set_pools(node, pools);
}

void NodeTable::set_pools(const std::string& node, const std::vector<PoolIndex>& pools) {
  const auto index = find(NodeName(node));
  if (!index) return;
  nodes_.at_for_write(index->get()).pools = pools;
  is_stale(*index);
}

void NodeTable::remove_pool(const std::string& node, PoolIndex pool) {
  auto& pools = beyond_[node].pools;
  std::erase(pools, pool);
  set_pools(node, pools);
  forget_if_unused(node);
}

/// Nobody may ask for snapshots for long: a replica that stands by does not.
void NodeTable::is_stale(NodeIndex node) {
  if (stale_equivalence_.size() > 2 * nodes_.size() + 1024) {
    std::ranges::sort(stale_equivalence_);
    const auto again = std::ranges::unique(stale_equivalence_);
    stale_equivalence_.erase(again.begin(), again.end());
  }
  stale_equivalence_.push_back(node);
}

bool NodeTable::touch(const std::string& node) {
  const auto index = find(NodeName(node));
  if (!index) return false;
  nodes_.at_for_write(index->get()).version = stamps_.next();
  is_stale(*index);
  return true;
}

}  // namespace dray::cluster
