#include "planner/state/nodes.h"

#include <algorithm>
#include <utility>

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

}  // namespace

void NodeTable::restart(const cluster::Snapshot& snapshot, const policy::Policy& policy) {
  snapshot_.reset();
  read_to_ = 0;
  columns_ = policy.counting.resources().size() + 2;
  measured_.clear();
  memo_.clear();
  classes_.clear();
  for (const auto& name : policy.counting.device_classes()) {
    if (auto made = snapshot.compiled_class(name)) classes_.push_back(std::move(made));
  }
}

void NodeTable::forget_changes() {
  changed_.before += changed_.last.size() + 1;
  changed_.last.clear();
}

/// The snapshot is the one that is read from now on; the one before comes back.
std::shared_ptr<const cluster::Snapshot> NodeTable::begin(
    std::shared_ptr<const cluster::Snapshot> given, const policy::Policy& policy) {
  const auto& snapshot = *given;
  const bool anew = !snapshot_ || snapshot_->origin() != snapshot.origin() || policy_ != &policy ||
                    snapshot_->class_epoch() != snapshot.class_epoch();
  if (anew) restart(snapshot, policy);
  policy_ = &policy;
  // Pools that many nodes see have no part in a node's version.
  if (!snapshot.shared_pools().empty() ||
      (snapshot_ && snapshot_->device_epoch() != snapshot.device_epoch())) {
    measured_.clear();
    read_to_ = 0;
  }
  const auto limit = snapshot.node_limit();
  measured_.resize(limit);
  rows_.takes_pods.resize(limit, false);
  stamps_.resize(limit, 0);
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
      if (!entry.facts) continue;
      ++read_;
      if (measured_[i].is_of(entry)) continue;
      if (most == 0) return true;
      --most;
      measured_[i] = {entry.version, entry.facts, entry.use};
      rows_.takes_pods[i] = !entry.facts->unschedulable;
      set_stamp(node, new_stamp());
      measure(snapshot, node);
    }
    read_to_ = end;
  }
  return false;
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
  count_devices(snapshot, entry, free_row, capacity_row);
}

void NodeTable::count_devices(const cluster::Snapshot& snapshot, const cluster::NodeEntry& entry,
                              std::span<double> free, std::span<double> capacity) {
  for (const auto index : entry.pools) {
    const auto& pool = snapshot.pool(index);
    const auto [first, last] = pool.of_node(entry.facts->name.get());
    for (auto slot = first; slot != last; ++slot) {
      const auto& devices = pool.slots[slot].slice->devices;
      for (const auto& device : devices) {
        const auto amounts = amounts_of(pool, device);
        add(capacity, amounts, 1);
        add(free, amounts, 1);
      }
      const auto count = static_cast<double>(devices.size());
      capacity[devices_column()] += count;
      free[devices_column()] += count;
      if (!pool.slots[slot].use) continue;
      for (const auto& [position, use] : *pool.slots[slot].use) {
        const auto part = part_taken(devices[position], use);
        add(free, amounts_of(pool, devices[position]), -part);
        free[devices_column()] -= 1;
      }
    }
  }
}

/// By the first counted class that the device is of.
policy::Amounts NodeTable::amounts_of(const cluster::Pool& pool,
                                      const cluster::PublishedDevice& device) {
  for (const auto& each : classes_) {
    const bool of_class = std::ranges::all_of(each->selectors, [&](const auto& selector) {
      return selector.program && memo_.match(selector.program, device.shape) == cel::Verdict::yes;
    });
    if (!of_class) continue;
    Device seen;
    seen.capacity = device.traits->capacity;
    return policy_->counting.of(seen, pool.driver, ClassName(each->object->meta.name));
  }
  return policy::Amounts(columns_ - 2);
}

policy::Amounts NodeTable::free_total() const {
  policy::Amounts total(columns_ - 2);
  for (const auto node : by_name_) {
    if (!rows_.takes_pods[node.get()]) continue;
    const auto row = free(node);
    for (std::size_t r = 0; r < total.size(); ++r) total[r] += std::max(row[r], 0.0);
  }
  return total;
}

}  // namespace dray::planner
