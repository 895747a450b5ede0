#include "cluster/pool_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dray::cluster {
namespace {

constexpr std::size_t indexed_from_slices = 8;

std::optional<std::uint32_t> position(const PublishedSlice& slice, const std::string& device) {
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    if (*slice.devices[i].name == device) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

/// The use of a slice's devices, from what is known by name.
std::shared_ptr<const SliceUse> find_use(const std::unordered_map<std::string, DeviceUse>& uses,
                                         const PublishedSlice& slice) {
  if (uses.empty()) return nullptr;
  SliceUse found;
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    const auto at = uses.find(*slice.devices[i].name);
    if (at != uses.end()) found.emplace_back(static_cast<std::uint32_t>(i), at->second);
  }
  return found.empty() ? nullptr : std::make_shared<const SliceUse>(std::move(found));
}

}  // namespace

std::uint32_t PoolTable::record_of(const std::string& driver, const std::string& pool) {
  const auto key = pool_key(driver, pool);
  if (const auto* known = index_.find(key)) return known->get();
  auto made = std::make_shared<Pool>();
  made->driver = DriverName(driver);
  made->name = PoolName(pool);
  Record record{.pool = made, .cloned_at = freezes_, .uses = {}, .devices = {}};
  auto index = static_cast<std::uint32_t>(records_.size());
  if (free_.empty()) {
    records_.push_back(std::move(record));
    pools_.push_back(std::move(made));
  } else {
    index = free_.back();
    free_.pop_back();
    records_[index] = std::move(record);
    pools_.at_for_write(index) = std::move(made);
  }
  index_.set(key, PoolIndex(index));
  return index;
}

/// Nodes come under ever new names, and their pools with them: one that has no slice and no use is
/// nobody's.
void PoolTable::let_go(std::uint32_t index) {
  const auto& record = records_[index];
  if (!record.pool->slots.empty() || !record.uses.empty()) return;
  const auto key = pool_key(record.pool->driver.get(), record.pool->name.get());
  const auto* known = index_.find(key);
  if (known == nullptr || known->get() != index) return;
  index_.erase(key);
  free_.push_back(index);
}

Pool& PoolTable::own_pool(std::uint32_t index) {
  auto& record = records_[index];
  if (record.cloned_at != freezes_) {
    record.pool = std::make_shared<Pool>(*record.pool);
    record.cloned_at = freezes_;
    pools_.at_for_write(index) = record.pool;
  }
  return *record.pool;
}

Chunked<std::shared_ptr<const Pool>> PoolTable::freeze_pools() {
  ++freezes_;
  return pools_.freeze();
}

std::optional<std::uint64_t> PoolTable::arrival(const std::string& slice_name) const {
  const auto at = places_.find(slice_name);
  return at == places_.end() ? std::nullopt : std::optional(at->second.arrival);
}

std::size_t PoolTable::slot_place(const Pool& pool, const std::string& node,
                                  std::uint64_t arrival) {
  const auto at = std::ranges::lower_bound(
      pool.slots, std::tie(node, arrival), {},
      [](const PoolSlot& slot) { return std::tie(slot.slice->node_name(), slot.slice->arrival); });
  return static_cast<std::size_t>(at - pool.slots.begin());
}

void PoolTable::put(const DriverName& driver, const PoolName& pool_name,
                    std::shared_ptr<const PublishedSlice> slice) {
  std::optional<std::uint32_t> left;
  if (const auto old = places_.find(slice->name); old != places_.end()) {
    remove_slot(old->second);
    left = old->second.pool.get();
  }
  const auto index = record_of(driver.get(), pool_name.get());
  auto& pool = own_pool(index);
  auto& record = records_[index];
  const auto node = slice->node_name();
  places_[slice->name] = {PoolIndex(index), node, slice->arrival};
  devices_ += slice->devices.size();
  const auto at = slot_place(pool, node, slice->arrival);
  if (record.indexed) index_devices(record, *slice, true);
  auto use = find_use(record.uses, *slice);
  PoolSlot slot{std::move(slice), std::move(use), stamps_.next()};
  pool.slots.insert(pool.slots.begin() + static_cast<std::ptrdiff_t>(at), std::move(slot));
  slices_changed(index, node);
  if (left && *left != index) let_go(*left);
}

void PoolTable::erase(const std::string& slice_name) {
  const auto at = places_.find(slice_name);
  if (at == places_.end()) return;
  const auto place = at->second;
  places_.erase(at);
  remove_slot(place);
  slices_changed(place.pool.get(), place.node);
  let_go(place.pool.get());
}

void PoolTable::remove_slot(const Place& place) {
  const auto index = place.pool.get();
  auto& pool = own_pool(index);
  const auto at = slot_place(pool, place.node, place.arrival);
  const auto slice = pool.slots[at].slice;
  devices_ -= slice->devices.size();
  if (records_[index].indexed) index_devices(records_[index], *slice, false);
  pool.slots.erase(pool.slots.begin() + static_cast<std::ptrdiff_t>(at));
  slices_changed(index, place.node);
}

void PoolTable::slices_changed(std::uint32_t index, const std::string& node) {
  auto& pool = own_pool(index);
  pool.version = stamps_.next();
  summarize(pool);
  if (!pool.slots.empty()) {
    // Of more than these two, none has an equivalence class: the pool is not theirs alone.
    nodes_.equivalence_is_stale(pool.slots.front().slice->node_name());
    nodes_.equivalence_is_stale(pool.slots.back().slice->node_name());
  }
  const auto [first, last] = pool.of_node(node);
  if (node.empty()) {
    set_shared(PoolIndex(index), first != last);
    epoch_ = stamps_.next();
    return;
  }
  if (first != last) {
    nodes_.add_pool(node, PoolIndex(index));
  } else {
    nodes_.remove_pool(node, PoolIndex(index));
  }
  if (!nodes_.touch(node)) {
    // Nobody reads a node that is not there: the others show that the pool has slices of it.
    for (const auto& slot : pool.slots) nodes_.touch(slot.slice->node_name());
  }
  // The nodes that see the pool's shared slices judge it by all of its slices.
  const auto shared = pool.of_node({});
  if (shared.first != shared.second) epoch_ = stamps_.next();
}

void PoolTable::summarize(Pool& pool) const {
  pool.generations.clear();
  pool.has_counters = false;
  for (const auto& slot : pool.slots) {
    const auto generation = slot.slice->generation;
    auto at =
        std::ranges::lower_bound(pool.generations, generation, {}, &Pool::Generation::generation);
    if (at == pool.generations.end() || at->generation != generation) {
      at = pool.generations.insert(at, {.generation = generation});
    }
    ++at->slices;
    if (!slot.slice->uses_compatibility_groups) ++at->without_compatibility_groups;
    pool.has_counters = pool.has_counters || slot.slice->uses_counters;
  }
}

void PoolTable::set_shared(PoolIndex pool, bool on) {
  const auto at = std::ranges::lower_bound(*shared_, pool);
  const bool there = at != shared_->end() && *at == pool;
  if (there == on) return;
  auto changed = std::make_shared<std::vector<PoolIndex>>(*shared_);
  const auto place = changed->begin() + (at - shared_->begin());
  if (on) {
    changed->insert(place, pool);
  } else {
    changed->erase(place);
  }
  shared_ = std::move(changed);
}

void PoolTable::index_devices(Record& record, const PublishedSlice& slice, bool add) {
  for (const auto& device : slice.devices) {
    if (add) {
      record.devices.emplace(*device.name, Place{PoolIndex{}, slice.node_name(), slice.arrival});
      continue;
    }
    const auto [first, last] = record.devices.equal_range(*device.name);
    const auto at = std::find_if(
        first, last, [&](const auto& entry) { return entry.second.arrival == slice.arrival; });
    if (at != last) record.devices.erase(at);
  }
}

std::vector<std::size_t> PoolTable::slots_with(Record& record, const std::string& device) {
  const auto& pool = *record.pool;
  std::vector<std::size_t> found;
  if (!record.indexed && pool.slots.size() > indexed_from_slices) {
    for (const auto& slot : pool.slots) index_devices(record, *slot.slice, true);
    record.indexed = true;
  }
  if (record.indexed) {
    const auto [first, last] = record.devices.equal_range(device);
    for (auto at = first; at != last; ++at) {
      found.push_back(slot_place(pool, at->second.node, at->second.arrival));
    }
    return found;
  }
  for (std::size_t i = 0; i < pool.slots.size(); ++i) {
    if (position(*pool.slots[i].slice, device)) found.push_back(i);
  }
  return found;
}

void PoolTable::change_use(const DeviceId& device, const std::function<void(DeviceUse&)>& change) {
  const auto index = record_of(device.driver.get(), device.pool.get());
  auto& uses = records_[index].uses;
  const auto& name = device.device.get();
  auto& use = uses[name];
  const bool before = !use.none();
  change(use);
  const bool after = !use.none();
  in_use_ += after ? 1U : 0U;
  in_use_ -= before ? 1U : 0U;
  if (!after) uses.erase(name);
  use_changed(index, name);
  if (!after) let_go(index);
}

void PoolTable::use_changed(std::uint32_t index, const std::string& device) {
  auto& record = records_[index];
  const auto slots = slots_with(record, device);
  if (slots.empty()) return;
  auto& pool = own_pool(index);
  bool shared = pool.has_counters;
  for (const auto i : slots) {
    auto& slot = pool.slots[i];
    slot.use = find_use(record.uses, *slot.slice);
    slot.version = stamps_.next();
    const auto& node = slot.slice->node_name();
    shared = shared || node.empty();
    if (!node.empty()) nodes_.touch(node);
  }
  if (!shared) return;
  pool.version = stamps_.next();
  const auto [first, last] = pool.of_node({});
  if (first != last) epoch_ = stamps_.next();
}

}  // namespace dray::cluster
