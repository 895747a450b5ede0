#include "alloc/view/node_view.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace dray::alloc {
namespace {

using cluster::DeviceUse;
using cluster::Pool;
using cluster::PoolSlot;
using cluster::PublishedSlice;

class Gatherer {
 public:
  Gatherer(const cluster::AllocatedState& state, cluster::NodeIndex node, const Features& features)
      : state_(state), node_(state.snapshot().facts(node)), features_(features), index_(node) {}

  Result<NodeView> gather() {
    const auto& snapshot = state_.snapshot();
    const auto& own = snapshot.entry(index_).pools;
    for (const auto pool : own) consider(pool);
    for (const auto pool : snapshot.shared_pools()) {
      if (!std::ranges::binary_search(own, pool)) consider(pool);
    }
    if (error_) return std::unexpected(std::move(*error_));
    order();
    for (auto& found : found_) publish(found);
    return std::move(view_);
  }

 private:
  struct Found {
    cluster::PoolIndex index;
    const Pool* pool = nullptr;
    std::vector<const PoolSlot*> slots;  // relevant for the node, of the highest generation
    bool incomplete = false;
    bool all_slices = false;  // judged by all slices of the pool, not by the relevant ones alone
    std::int64_t slices = 0;  // of the newest generation, where it is not what the slices say
    std::string fault = {};   // not empty: the pool is invalid
    bool has_binding_conditions = false;
  };

  [[nodiscard]] bool ignored(const PublishedSlice& slice) const {
    if (!features_.partitionable_devices && (slice.per_device || !slice.shared_counters.empty())) {
      return true;
    }
    return !features_.compatibility_groups && slice.uses_compatibility_groups;
  }

  Result<bool> relevant(const PublishedSlice& slice) const {
    const auto& scope = slice.scope.scope;
    const bool named = scope.node_name && !scope.node_name->get().empty();
    if (named || scope.all_nodes || scope.node_selector) {
      auto match = slice.scope.matches(node_);
      if (match) return match;
      return std::unexpected(
          std::move(match.error())
              .within("gather pool information: failed to perform node selection for slice " +
                      slice.name));
    }
    if (!slice.per_device) return false;
    for (const auto& device : slice.devices) {
      auto match = device.traits->scope->matches(node_);
      if (!match) {
        return std::unexpected(
            std::move(match.error())
                .within("gather pool information: failed to perform node selection for device " +
                        *device.name + " in slice " + slice.name));
      }
      if (*match) return true;
    }
    return false;
  }

  void consider(cluster::PoolIndex index) {
    const auto& pool = state_.snapshot().pool(index);
    Found found{.index = index, .pool = &pool, .slots = {}};
    const auto visit = [&](std::pair<std::size_t, std::size_t> range) {
      for (auto i = range.first; i < range.second; ++i) {
        const auto& slot = pool.slots[i];
        if (ignored(*slot.slice)) continue;
        const auto match = relevant(*slot.slice);
        if (!match) {
          note_error(slot.slice->arrival, match.error());
        } else if (*match) {
          add(found, slot);
        }
      }
    };
    visit(pool.of_node(node_.name.get()));
    visit(pool.of_node({}));
    if (!found.slots.empty()) judge(std::move(found));
  }

  /// Upstream meets the slices in the order in which they came, and stops at the first error.
  void note_error(std::uint64_t arrival, const Error& error) {
    if (error_ && error_arrival_ < arrival) return;
    error_ = error;
    error_arrival_ = arrival;
  }

  static void add(Found& found, const PoolSlot& slot) {
    if (!found.slots.empty()) {
      const auto known = found.slots.front()->slice->generation;
      if (slot.slice->generation < known) return;
      if (slot.slice->generation > known) found.slots.clear();
    }
    found.slots.push_back(&slot);
  }

  void judge(Found found) {
    const auto& first = *found.slots.front()->slice;
    if (std::cmp_not_equal(found.slots.size(), first.pool_slice_count)) {
      const auto& generations = found.pool->generations;
      if (generations.back().generation > first.generation) return;  // obsolete
      const auto& own = generations.back();
      const auto count =
          features_.compatibility_groups ? own.slices : own.without_compatibility_groups;
      found.incomplete = count != first.pool_slice_count;
      found.slices = count;
      found.all_slices = true;
    }
    std::ranges::sort(found.slots, {}, [](const auto* slot) {
      return std::tie(slot->slice->name, slot->slice->arrival);
    });
    if (!found.incomplete) found.fault = fault_of(found);
    for (const auto* slot : found.slots) {
      if (found.incomplete || !found.fault.empty() || is_counter_slice(*slot->slice)) continue;
      found.has_binding_conditions =
          found.has_binding_conditions ||
          std::ranges::any_of(slot->slice->devices, [](const auto& device) {
            return device.traits->has_binding_conditions;
          });
    }
    found_.push_back(std::move(found));
  }

  [[nodiscard]] bool is_counter_slice(const PublishedSlice& slice) const {
    return features_.partitionable_devices && !slice.shared_counters.empty();
  }

  void order() {
    std::ranges::sort(found_, {}, [](const Found& found) {
      return std::tie(found.has_binding_conditions, found.pool->driver, found.pool->name);
    });
  }

  void publish(const Found& found) {
    ViewPool pool{.pool = found.pool,
                  .index = found.index,
                  .incomplete = found.incomplete,
                  .invalid = !found.fault.empty(),
                  .fault = found.fault,
                  .generation = found.slots.front()->slice->generation,
                  .slices = found.slices,
                  .promised = found.slots.front()->slice->pool_slice_count};
    pool.first = static_cast<std::uint32_t>(view_.devices.size());
    const auto number = static_cast<std::uint32_t>(view_.pools.size());
    const auto first_row = view_.counters.size();
    sets_.clear();
    if (pool.usable()) {
      publish_counters(found, number);
      publish_devices(found, number);
      charge_counters(found);
    }
    pool.counters_may_grow = std::ranges::any_of(
        view_.devices.begin() + pool.first, view_.devices.end(), [](const ViewDevice& device) {
          return std::ranges::any_of(device.counters, [](auto take) { return take.amount < 0; });
        });
    for (auto row = first_row; row < view_.counters.size(); ++row) {
      if (view_.counters[row] < 0) ++pool.short_rows;
    }
    pool.last = static_cast<std::uint32_t>(view_.devices.size());
    view_.any_invalid = view_.any_invalid || pool.invalid;
    view_.pools.push_back(pool);
  }

  // ---- devices

  const DeviceUse* use_of(const Found& found, const PoolSlot& slot, std::uint32_t position,
                          std::size_t& next) const {
    const DeviceUse* use = nullptr;
    if (slot.use) {
      while (next < slot.use->size() && (*slot.use)[next].first < position) ++next;
      if (next < slot.use->size() && (*slot.use)[next].first == position) {
        use = &(*slot.use)[next].second;
      }
    }
    if (state_.touched(found.index)) {
      const auto& name = *slot.slice->devices[position].name;
      if (const auto* changed = state_.changed_use(found.index, name)) use = changed;
    }
    return use != nullptr && use->none() ? nullptr : use;
  }

  void publish_devices(const Found& found, std::uint32_t number) {
    for (const auto* slot : found.slots) {
      const auto& slice = *slot->slice;
      if (is_counter_slice(slice)) continue;
      std::size_t next = 0;
      for (std::uint32_t i = 0; i < slice.devices.size(); ++i) {
        ViewDevice made;
        made.device = &slice.devices[i];
        made.slice = &slice;
        made.use = use_of(found, *slot, i, next);
        made.pool = number;
        resolve_counters(made);
        view_.devices.push_back(std::move(made));
      }
    }
  }

  /// What makes the pool invalid, after "the pool has"; empty: nothing.
  [[nodiscard]] std::string fault_of(const Found& found) const {
    auto fault = doubled_name(found);
    return fault.empty() ? fault_of_counters(found) : fault;
  }

  [[nodiscard]] std::string doubled_name(const Found& found) const {
    std::vector<std::string_view> names;
    for (const auto* slot : found.slots) {
      if (is_counter_slice(*slot->slice)) continue;
      for (const auto& device : slot->slice->devices) names.emplace_back(*device.name);
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    return twice == names.end() ? "" : fmt::format("two devices named {}", *twice);
  }

  // ---- counters

  /// Those that the node sees by name, then all others in the order in which they came.
  template <class F>
  void each_slice(const Found& found, F&& visit) const {
    for (const auto* slot : found.slots) visit(*slot);
    if (!found.all_slices) return;
    std::vector<const PoolSlot*> others;
    for (const auto& slot : found.pool->slots) {
      if (slot.slice->generation != found.slots.front()->slice->generation) continue;
      if (!features_.compatibility_groups && slot.slice->uses_compatibility_groups) continue;
      if (std::ranges::find(found.slots, &slot) == found.slots.end()) others.push_back(&slot);
    }
    if (features_.compatibility_groups) {  // nothing else asks for the order
      std::ranges::sort(others, {}, [](const auto* slot) { return slot->slice->arrival; });
    }
    for (const auto* slot : others) visit(*slot);
  }

  [[nodiscard]] std::string fault_of_counters(const Found& found) const {
    if (!features_.partitionable_devices || !found.pool->has_counters) return {};
    std::map<std::string_view, const Counters*> sets;
    std::string fault;
    each_slice(found, [&](const PoolSlot& slot) {
      for (const auto& set : slot.slice->shared_counters) {
        if (!sets.try_emplace(set.name, &set.counters).second && fault.empty()) {
          fault = fmt::format("two counter sets named {}", set.name);
        }
      }
    });
    each_slice(found, [&](const PoolSlot& slot) {
      if (is_counter_slice(*slot.slice)) return;
      for (const auto& device : slot.slice->devices) {
        for (const auto& taken : device.traits->consumes_counters) {
          if (!fault.empty()) return;
          const auto lacks = missing_counter(sets, taken);
          if (!lacks.empty()) fault = fmt::format("no {}, which {} takes of", lacks, *device.name);
        }
      }
    });
    return fault;
  }

  static std::string missing_counter(const std::map<std::string_view, const Counters*>& sets,
                                     const CounterConsumption& taken) {
    const auto set = sets.find(taken.counter_set);
    if (set == sets.end()) return "counter set " + taken.counter_set;
    for (const auto& [name, amount] : taken.counters) {
      if (!set->second->contains(name)) {
        return fmt::format("counter {} in set {}", name, taken.counter_set);
      }
    }
    return {};
  }

  void publish_counters(const Found& found, std::uint32_t number) {
    if (!features_.partitionable_devices || !found.pool->has_counters) return;
    each_slice(found, [&](const PoolSlot& slot) {
      for (const auto& set : slot.slice->shared_counters) {
        auto& made = sets_[set.name];
        made.group_set = static_cast<std::uint32_t>(view_.group_sets.size());
        view_.group_sets.emplace_back();
        for (const auto& [name, amount] : set.counters) {
          made.rows.emplace(name, static_cast<std::uint32_t>(view_.counters.size()));
          view_.counters.push_back(amount_of(amount));
          view_.row_pool.push_back(number);
        }
      }
    });
  }

  void resolve_counters(ViewDevice& made) const {
    if (!features_.partitionable_devices) return;
    for (const auto& consumption : made.traits().consumes_counters) {
      const auto& set = sets_.at(consumption.counter_set);
      for (const auto& [name, amount] : consumption.counters) {
        made.counters.push_back({set.rows.at(name), amount_of(amount)});
      }
      made.groups.push_back({set.group_set, consumption.compatibility_groups});
      std::ranges::sort(made.groups.back().groups);
    }
  }

  /// Takes off what allocated devices of the pool consume.
  void charge_counters(const Found& found) {
    if (sets_.empty()) return;
    each_slice(found, [&](const PoolSlot& slot) {
      if (is_counter_slice(*slot.slice)) return;
      std::size_t next = 0;
      for (std::uint32_t i = 0; i < slot.slice->devices.size(); ++i) {
        if (use_of(found, slot, i, next) == nullptr) continue;
        ViewDevice made;
        made.device = &slot.slice->devices[i];
        resolve_counters(made);
        for (const auto& take : made.counters) view_.counters[take.row] -= take.amount;
        for (const auto& take : made.groups) view_.group_sets[take.set].add(take.groups);
      }
    });
  }

  struct SetRows {
    std::map<std::string, std::uint32_t, std::less<>> rows;
    std::uint32_t group_set = 0;
  };

  const cluster::AllocatedState& state_;
  const cluster::NodeFacts& node_;
  const Features& features_;
  cluster::NodeIndex index_;
  NodeView view_;
  std::vector<Found> found_;
  std::map<std::string, SetRows, std::less<>> sets_;  // of the pool being published
  std::optional<Error> error_;
  std::uint64_t error_arrival_ = 0;
};

}  // namespace

bool GroupSet::admits(const std::vector<std::string>& more) const {
  if (!has_members) return true;
  if (more.empty()) return all_empty;
  if (all_empty) return false;
  return std::ranges::any_of(
      more, [&](const auto& group) { return std::ranges::binary_search(groups, group); });
}

void GroupSet::add(const std::vector<std::string>& more) {
  if (!has_members) {
    has_members = true;
    all_empty = more.empty();
    groups = more;
    return;
  }
  if (all_empty || more.empty()) return;
  std::erase_if(groups,
                [&](const auto& group) { return !std::ranges::binary_search(more, group); });
}

DeviceId NodeView::id(std::uint32_t device) const {
  const auto& pool = *pools[devices[device].pool].pool;
  return {pool.driver, pool.name, DeviceName(devices[device].name())};
}

std::string NodeView::id_text(std::uint32_t device) const {
  return id(device).to_string();
}

Result<NodeView> gather(const cluster::AllocatedState& state, cluster::NodeIndex node,
                        const Features& features) {
  return Gatherer(state, node, features).gather();
}

}  // namespace dray::alloc
