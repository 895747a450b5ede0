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

void NodeTable::update(const cluster::Snapshot& snapshot, const policy::Policy& policy) {
  const bool anew =
      origin_ != snapshot.origin() || policy_ != &policy || class_epoch_ != snapshot.class_epoch();
  // Pools that many nodes see have no part in a node's version.
  const bool shared = !snapshot.shared_pools().empty() || device_epoch_ != snapshot.device_epoch();
  origin_ = snapshot.origin();
  policy_ = &policy;
  class_epoch_ = snapshot.class_epoch();
  device_epoch_ = snapshot.device_epoch();
  if (anew) {
    columns_ = policy.counting.resources().size() + 2;
    measured_.clear();
    memo_.clear();
    classes_.clear();
    for (const auto& name : policy.counting.device_classes()) {
      if (auto made = snapshot.compiled_class(name)) classes_.push_back(std::move(made));
    }
  }
  const auto limit = snapshot.node_limit();
  measured_.resize(limit);
  stamps_.resize(limit, 0);
  names_.ranks.resize(limit, 0);
  free_.resize(limit * columns_, 0);
  capacity_.resize(limit * columns_, 0);
  const auto before = std::exchange(by_name_, {});
  bool renamed = anew;
  for (const auto node : snapshot.nodes_by_name()) {
    const auto& entry = snapshot.entry(node);
    names_.ranks[node.get()] = static_cast<std::uint32_t>(by_name_.size());
    by_name_.push_back(node);
    auto& last = measured_[node.get()];
    if (last.is_of(entry) && !shared) continue;
    // An index may be another node's by now.
    renamed = renamed || find(snapshot.name(node)) != node;
    last = {entry.version, entry.facts, entry.use, !entry.facts->unschedulable};
    set_stamp(node, new_stamp());
    measure(snapshot, node);
  }
  changed_.clear();
  if (renamed || before != by_name_) index_names(snapshot);
}

void NodeTable::index_names(const cluster::Snapshot& snapshot) {
  names_.indices.clear();
  names_.indices.reserve(by_name_.size());
  names_.sorted.clear();
  names_.followers.clear();
  for (const auto node : by_name_) {
    names_.indices.emplace(snapshot.name(node), node);
    names_.sorted.push_back(snapshot.name(node));
    names_.followers.push_back(static_cast<std::uint32_t>(names_.sorted.size()));
  }
}

std::vector<cluster::NodeIndex> NodeTable::find_all(std::span<const NodeName> names) {
  const auto& sorted = names_.sorted;
  std::vector<bool> asked(sorted.size());
  std::uint32_t guess = 0;
  std::uint32_t* last = nullptr;
  for (const auto& name : names) {
    if (guess >= sorted.size() || sorted[guess] != name) {
      const auto node = find(name);
      if (!node) continue;
      guess = rank(*node);
      if (last != nullptr) *last = guess;
    }
    asked[guess] = true;
    last = &names_.followers[guess];
    guess = *last;
  }
  std::vector<cluster::NodeIndex> found;
  found.reserve(std::min(names.size(), sorted.size()));
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
  auto capacity_row = std::span(capacity_).subspan(node.get() * columns_, columns_);
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
    if (!measured_[node.get()].takes_pods) continue;
    const auto row = free(node);
    for (std::size_t r = 0; r < total.size(); ++r) total[r] += std::max(row[r], 0.0);
  }
  return total;
}

}  // namespace dray::planner
