#include "cluster/equivalence_classes.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace dray::cluster {
namespace {

constexpr std::size_t many_values = 128;
constexpr std::size_t most_numbers = 1'000'000;

void push(std::vector<std::uint64_t>& key, const void* part) {
  key.push_back(reinterpret_cast<std::uintptr_t>(part));
}

void push(std::vector<std::uint64_t>& key, std::string_view text) {
  key.push_back(text.size());
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    for (const char c : text.substr(i, 8)) word = word << 8U | static_cast<unsigned char>(c);
    key.push_back(word);
  }
}

/// No name twice, in all slices of the pool together.
bool names_differ(const Pool& pool) {
  std::vector<std::string_view> names;
  for (const auto& slot : pool.slots) {
    for (const auto& device : slot.slice->devices) names.emplace_back(*device.name);
  }
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

}  // namespace

void EquivalenceClasses::leave_out(const cel::Name& name) {
  auto names = *unclassified_;
  const auto at = std::ranges::lower_bound(names, name);
  if (at != names.end() && *at == name) return;
  names.insert(at, name);
  unclassified_ = std::make_shared<const std::vector<cel::Name>>(std::move(names));
}

/// False: there is something about it that a number cannot stand for.
bool EquivalenceClasses::describe(const PublishedDevice& device) {
  const auto& shape = *device.shape;
  const auto& traits = *device.traits;
  if (shape.conversion_error() || traits.scope || traits.attributes) return false;
  const auto& names = shape.names();
  auto& columns = columns_[names.serial()];
  columns.resize(names.names().size());
  key_.push_back(names.serial());
  push(key_, &traits);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    auto& column = columns[c];
    if (column.unclassified) {
      key_.push_back(0);
      continue;
    }
    const auto* value = &shape.at(static_cast<int>(c));
    push(key_, value);
    if (!column.values.insert(value).second || column.values.size() < many_values) continue;
    column.unclassified = true;
    column.values.clear();
    leave_out(names.names()[c]);
  }
  return true;
}

bool EquivalenceClasses::plain(const PublishedSlice& slice) {
  return !slice.per_device && !slice.uses_compatibility_groups &&
         slice.skip_node_operations.empty() && !slice.node_name().empty();
}

std::uint64_t EquivalenceClasses::of_slice(const std::shared_ptr<const PublishedSlice>& slice) {
  if (!plain(*slice)) return 0;
  key_.clear();
  key_.push_back(slice->devices.size());
  for (const auto& device : slice->devices) {
    if (!describe(device)) return 0;
  }
  for (const auto& set : slice->shared_counters) {
    push(key_, set.name);
    for (const auto& [name, amount] : set.counters) {
      push(key_, name);
      push(key_, amount.to_decimal());
    }
  }
  if (slices_.size() >= sweep_at_) sweep();
  const auto [known, added] = slices_.try_emplace(key_);
  if (added) known->second = {++last_slice_, slice};
  return known->second.number;
}

/// A number is never given again: a slice equal to one that was dropped gets another.
void EquivalenceClasses::sweep() {
  std::erase_if(slices_, [](const auto& entry) { return entry.second.slice.use_count() == 1; });
  sweep_at_ = std::max<std::size_t>(4096, slices_.size() * 2);
}

/// A pool of this node alone, of one generation; its slices in the order of search.
bool EquivalenceClasses::describe(const Pool& pool, const std::string& node) {
  const auto& first = *pool.slots.front().slice;
  if (first.node_name() != node || pool.slots.back().slice->node_name() != node) return false;
  if (pool.generations.size() != 1 || !names_differ(pool)) return false;
  key_.push_back(pool.slots.size());
  key_.push_back(static_cast<std::uint64_t>(first.pool_slice_count));
  std::vector<const PoolSlot*> slots;
  slots.reserve(pool.slots.size());
  for (const auto& slot : pool.slots) slots.push_back(&slot);
  std::ranges::sort(slots, {}, [](const auto* slot) {
    return std::tie(slot->slice->name, slot->slice->arrival);
  });
  for (const auto* slot : slots) {
    if (slot->slice->equivalence_class == 0 ||
        slot->slice->pool_slice_count != first.pool_slice_count) {
      return false;
    }
    key_.push_back(slot->slice->equivalence_class);
    if (!slot->use) continue;
    for (const auto& [position, use] : *slot->use) {
      if (use.shares > 0 || use.has_consumed) return false;
      key_.push_back(std::uint64_t{1} << 32U | position);
    }
  }
  return true;
}

std::uint32_t EquivalenceClasses::of_node(const std::string& node, std::vector<const Pool*> pools) {
  std::ranges::sort(pools, {}, [](const Pool* pool) { return std::tie(pool->driver, pool->name); });
  key_.clear();
  for (const auto* pool : pools) {
    if (pool->slots.empty() || !describe(*pool, node)) return 0;
  }
  const auto number = static_cast<std::uint32_t>(nodes_.size() + 1);
  return nodes_.try_emplace(key_, number).first->second;
}

bool EquivalenceClasses::full() const {
  return nodes_.size() > most_numbers;
}

void EquivalenceClasses::begin_anew() {
  nodes_.clear();
  ++era_;
}

}  // namespace dray::cluster
