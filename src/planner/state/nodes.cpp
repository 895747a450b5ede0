#include "planner/state/nodes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dray/cluster/device_taints.h"
#include "dray/cluster/pool_reach.h"

namespace dray::planner {
namespace {

/// How much of a shared device is taken: the largest part of any capacity; a dedicated one is all
/// taken.
double part_taken(const cluster::PublishedDevice& device, const cluster::DeviceUse& use) {
  if (use.dedicated > 0) return 1;
  double part = 0;
  for (const auto& [name, amount] : use.consumed) {
    const auto total = device.traits->capacity.find(name);
    if (total == device.traits->capacity.end() || total->second.value.sign() <= 0) continue;
    part = std::max(part,
                    amount.as_approximate_double() / total->second.value.as_approximate_double());
  }
  return std::min(part, 1.0);
}

void add(std::span<double> row, const policy::Amounts& amounts, double factor) {
  for (std::size_t r = 0; r < amounts.size(); ++r) row[r] += amounts[r] * factor;
}

/// What keeps requests off the device that do not tolerate it.
std::vector<DeviceTaint> blocking_taints(const cluster::Snapshot& snapshot,
                                         const cluster::Pool& pool,
                                         const cluster::PublishedDevice& device) {
  std::vector<DeviceTaint> taints;
  if (device.traits->taints.empty() && snapshot.taint_rules().empty()) return taints;
  const DeviceId id{pool.driver, pool.name, DeviceName(*device.name)};
  for (const auto* taint : cluster::taints_of(snapshot, id, *device.traits)) {
    if (taint->effect == "NoSchedule" || taint->effect == "NoExecute") taints.push_back(*taint);
  }
  return taints;
}

/// Adds `factor` times the amounts to those that are behind the taints, if there are any.
void add_behind(std::vector<DeviceTaint> taints, const policy::Amounts& amounts, double factor,
                UsableCapacity::Parts& tainted) {
  if (taints.empty()) return;
  for (auto& taint : taints) taint.time_added.reset();
  auto at = std::ranges::find(tainted, taints, &UsableCapacity::Parts::value_type::first);
  if (at == tainted.end()) {
    at = tainted.insert(at, {std::move(taints), policy::Amounts(amounts.size())});
  }
  for (std::size_t r = 0; r < amounts.size(); ++r) at->second[r] += amounts[r] * factor;
}

bool same_facts(const cluster::NodeFacts& a, const cluster::NodeFacts& b) {
  const auto same = [](const auto& one, const auto& other) {
    return one == other || (one && other && *one == *other);
  };
  return a.uid == b.uid && a.name == b.name && a.unschedulable == b.unschedulable &&
         a.hostname_label == b.hostname_label && same(a.labels, b.labels) &&
         same(a.taints, b.taints) && same(a.allocatable, b.allocatable) &&
         same(a.declared_features, b.declared_features);
}

}  // namespace

void NodeTable::restart(const cluster::Snapshot& snapshot, const policy::Policy& policy) {
  snapshot_.reset();
  read_to_ = 0;
  columns_ = policy.counting.resources().size() + 2;
  measured_.clear();
  spanning_.clear();
  usable_.clear();
  devices_.amounts.emplace(policy.counting, snapshot);
  devices_.offers.restart(snapshot, policy);
}

void NodeTable::forget_changes() {
  changed_.before += changed_.last.size() + 1;
  changed_.last.clear();
}

void NodeTable::forget_hardware() {
  hardware_.before += hardware_.last.size() + 1;
  hardware_.last.clear();
}

/// Notes it if the node is not what it was; pools that many nodes see are no part of it.
void NodeTable::note_hardware(cluster::NodeIndex node) {
  const auto& entry = snapshot_->entry(node);
  auto& known = hardware_.of[node.get()];
  const bool same = known.facts != nullptr &&
                    (known.facts == entry.facts || same_facts(*known.facts, *entry.facts));
  std::vector<std::shared_ptr<const cluster::PublishedSlice>> slices;
  std::vector<std::int64_t> generations;
  for (const auto index : entry.pools) {
    const auto& pool = snapshot_->pool(index);
    const auto [first, last] = pool.of_node(entry.facts->name.get());
    for (auto slot = first; slot != last; ++slot) slices.push_back(pool.slots[slot].slice);
    for (const auto& each : pool.generations) {
      generations.insert(generations.end(), {each.generation, each.slices});
    }
  }
  known.facts = entry.facts;
  if (same && known.slices == slices && known.generations == generations) return;
  known.slices = std::move(slices);
  known.generations = std::move(generations);
  hardware_.last.push_back(node);
}

/// The snapshot is the one that is read from now on; the one before comes back.
std::shared_ptr<const cluster::Snapshot> NodeTable::begin(
    std::shared_ptr<const cluster::Snapshot> given, const policy::Policy& policy) {
  const auto& snapshot = *given;
  const bool anew = !snapshot_ || snapshot_->origin() != snapshot.origin() || policy_ != &policy ||
                    snapshot_->class_epoch() != snapshot.class_epoch();
  if (anew) restart(snapshot, policy);
  policy_ = &policy;
  // What all allocations may depend on, or more changes than nodes.
  if (anew || snapshot_->device_epoch() != snapshot.device_epoch() ||
      hardware_.last.size() > 2 * by_name_.size()) {
    forget_hardware();
  }
  // Pools that many nodes see have no part in a node's version.
  if (!snapshot.shared_pools().empty() ||
      (snapshot_ && snapshot_->device_epoch() != snapshot.device_epoch())) {
    measured_.clear();
    read_to_ = 0;
  }
  const auto limit = snapshot.node_limit();
  devices_.offers.measure_shared(snapshot);
  devices_.offers.remove_from(limit);
  measured_.resize(limit);
  usable_.remove_from(limit);  // an older snapshot may have fewer
  stamps_.resize(limit, 0);
  hardware_.of.resize(limit);
  names_.ranks.resize(limit, 0);
  rows_.free.resize(limit * columns_, 0);
  rows_.capacity.resize(limit * columns_, 0);
  const auto names = snapshot.nodes_by_name();
  if (!snapshot_ || snapshot_->nodes_by_name().data() != names.data()) {
    by_name_.assign(names.begin(), names.end());
    index_names(snapshot);
    forget_changes();
    read_to_ = 0;
  } else if (changed_.last.size() > 2 * by_name_.size()) {
    // One change a node is as much as those need who follow them.
    forget_changes();
  }
  return std::exchange(snapshot_, std::move(given));
}

void NodeTable::update(std::shared_ptr<const cluster::Snapshot> given,
                       const policy::Policy& policy) {
  const auto before = begin(std::move(given), policy);
  static_cast<void>(read_changed(before.get(), by_name_.size()));
  renew_spanning_pools(*snapshot_);
}

bool NodeTable::read_ahead(std::shared_ptr<const cluster::Snapshot> given,
                           const policy::Policy& policy, std::size_t most) {
  const auto before = begin(std::move(given), policy);
  // A plan reads them all anyway.
  if (!snapshot_->shared_pools().empty()) return false;
  return read_changed(before.get(), most);
}

/// Measures nodes that are not what was measured, `most` at most; `before` is the snapshot that was
/// read before. True: there are more.
bool NodeTable::read_changed(const cluster::Snapshot* before, std::size_t most) {
  const auto& snapshot = *snapshot_;
  constexpr auto step = cluster::Chunked<cluster::NodeEntry>::chunk_size;
  const auto known = std::exchange(read_to_, 0);
  for (std::size_t first = 0; first < snapshot.node_limit(); first += step) {
    const cluster::NodeIndex begin(static_cast<std::uint32_t>(first));
    const auto end = std::min(snapshot.node_limit(), first + step);
    const bool same = end <= known && &snapshot.entry(begin) == &before->entry(begin);
    for (auto i = first; i < end && !same; ++i) {
      const cluster::NodeIndex node(static_cast<std::uint32_t>(i));
      const auto& entry = snapshot.entry(node);
      if (!entry.facts) {
        usable_.remove(node);
        hardware_.of[i] = {};  // the same one that comes back is new to who has seen it gone
        devices_.offers.measure(snapshot, node);
        continue;
      }
      ++read_;
      if (measured_[i].is_of(entry)) continue;
      if (most == 0) return true;
      --most;
      measured_[i] = {entry.version, entry.facts, entry.use};
      set_stamp(node, new_stamp());
      note_hardware(node);
      measure(snapshot, node);
      note_spanning_pools(snapshot, entry);
      devices_.offers.measure(snapshot, node);
    }
    read_to_ = end;
  }
  return false;
}

/// A pool comes to span nodes by a slice of a node, which is then measured anew.
void NodeTable::note_spanning_pools(const cluster::Snapshot& snapshot,
                                    const cluster::NodeEntry& entry) {
  for (const auto pool : entry.pools) {
    if (cluster::spans_nodes(snapshot.pool(pool))) spanning_.try_emplace(pool);
  }
}

/// A slice, or a counter, of one node is part of what the pool's other nodes see; their own
/// versions do not tell.
void NodeTable::renew_spanning_pools(const cluster::Snapshot& snapshot) {
  for (auto at = spanning_.begin(); at != spanning_.end();) {
    const auto& pool = snapshot.pool(at->first);
    auto& known = at->second;
    if (pool.version != known.version) {
      known.version = pool.version;
      std::vector<std::shared_ptr<const cluster::PublishedSlice>> slices;
      slices.reserve(pool.slots.size());
      for (const auto& slot : pool.slots) slices.push_back(slot.slice);
      const bool other_hardware = known.slices != slices;
      known.slices = std::move(slices);
      cluster::for_each_node_of(snapshot, pool, [&](auto node) {
        set_stamp(node, new_stamp());
        if (other_hardware) hardware_.last.push_back(node);
      });
    }
    at = cluster::spans_nodes(pool) ? std::next(at) : spanning_.erase(at);
  }
}

void NodeTable::index_names(const cluster::Snapshot& snapshot) {
  names_.indices.clear();
  names_.indices.reserve(by_name_.size());
  names_.text.clear();
  names_.ends.clear();
  names_.followers.clear();
  for (const auto node : by_name_) {
    const auto& name = snapshot.name(node);
    names_.ranks[node.get()] = static_cast<std::uint32_t>(names_.ends.size());
    names_.indices.emplace(name, node);
    names_.text += name.get();
    names_.ends.push_back(names_.text.size());
    names_.followers.push_back(static_cast<std::uint32_t>(names_.ends.size()));
  }
}

std::vector<cluster::NodeIndex> NodeTable::find_all(std::span<const NodeName> names) {
  const auto size = by_name_.size();
  std::vector<bool> asked(size);
  std::size_t many = 0;
  std::uint32_t guess = 0;
  std::uint32_t* last = nullptr;
  for (const auto& name : names) {
    if (guess >= size || names_.at(guess) != name.get()) {
      const auto node = find(name);
      if (!node) continue;
      guess = rank(*node);
      if (last != nullptr) *last = guess;
    }
    many += asked[guess] ? 0U : 1U;
    asked[guess] = true;
    last = &names_.followers[guess];
    guess = *last;
  }
  if (many == size) return by_name_;
  std::vector<cluster::NodeIndex> found;
  found.reserve(many);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i]) found.push_back(by_name_[i]);
  }
  return found;
}

std::optional<cluster::NodeIndex> NodeTable::find(const NodeName& name) const {
  const auto known = names_.indices.find(name);
  return known == names_.indices.end() ? std::nullopt : std::optional(known->second);
}

void NodeTable::renew_all() {
  for (const auto node : by_name_) set_stamp(node, new_stamp());
}

void NodeTable::measure(const cluster::Snapshot& snapshot, cluster::NodeIndex node) {
  const auto& entry = snapshot.entry(node);
  auto free_row = free(node);
  auto capacity_row = std::span(rows_.capacity).subspan(node.get() * columns_, columns_);
  std::ranges::fill(free_row, 0);
  std::ranges::fill(capacity_row, 0);
  const auto& have = *entry.facts->allocatable;
  add(capacity_row, policy_->counting.of(have), 1);
  capacity_row[cpu_column()] = static_cast<double>(have.milli_cpu);
  for (const auto& [name, amount] : have.others) {
    capacity_row[devices_column()] += static_cast<double>(amount);
  }
  std::ranges::copy(capacity_row, free_row.begin());
  if (entry.use) {
    const auto& used = entry.use->requested;
    add(free_row, policy_->counting.of(used), -1);
    free_row[cpu_column()] -= static_cast<double>(used.milli_cpu);
    for (const auto& [name, amount] : used.others) {
      free_row[devices_column()] -= static_cast<double>(amount);
    }
  }
  auto parts = count_devices(snapshot, entry, free_row, capacity_row);
  policy::Amounts plain(columns_ - 2);
  for (std::size_t r = 0; r < plain.size(); ++r) plain[r] = free_row[r];
  for (const auto& [taints, amounts] : parts) plain -= amounts;
  parts.emplace_back(std::vector<DeviceTaint>(), plain);
  usable_.put(node, *entry.facts, parts);
}

NodeTable::Tainted NodeTable::count_devices(const cluster::Snapshot& snapshot,
                                            const cluster::NodeEntry& entry, std::span<double> free,
                                            std::span<double> capacity) {
  Tainted tainted;
  for (const auto index : entry.pools) {
    const auto& pool = snapshot.pool(index);
    const auto [first, last] = pool.of_node(entry.facts->name.get());
    for (auto slot = first; slot != last; ++slot) {
      const auto& devices = pool.slots[slot].slice->devices;
      for (const auto& device : devices) {
        const auto amounts = devices_.amounts->of(pool, device);
        add(capacity, amounts, 1);
        add(free, amounts, 1);
        add_behind(blocking_taints(snapshot, pool, device), amounts, 1, tainted);
      }
      const auto count = static_cast<double>(devices.size());
      capacity[devices_column()] += count;
      free[devices_column()] += count;
      if (!pool.slots[slot].use) continue;
      for (const auto& [position, use] : *pool.slots[slot].use) {
        const auto part = part_taken(devices[position], use);
        const auto amounts = devices_.amounts->of(pool, devices[position]);
        add(free, amounts, -part);
        free[devices_column()] -= 1;
        add_behind(blocking_taints(snapshot, pool, devices[position]), amounts, -part, tainted);
      }
    }
  }
  return tainted;
}

policy::Amounts NodeTable::free_total(const Tolerations& tolerations) {
  return usable_.total(tolerations, columns_ - 2);
}

}  // namespace dray::planner
