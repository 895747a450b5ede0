#include "metrics/device_figures.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dray/cel/selector_memo.h"
#include "dray/cluster/counters_left.h"
#include "dray/cluster/device_taints.h"

namespace dray::metrics {
namespace {

struct OnNode {
  std::size_t free = 0;
  bool used = false;
};

/// A pool of a snapshot, whose rules may taint its devices.
struct PoolAt {
  const cluster::Snapshot& snapshot;
  const cluster::Pool& pool;
};

bool keeps_off(const PoolAt& at, const cluster::PublishedDevice& device) {
  // Where there is neither a taint nor a rule, no id of the device is made.
  if (device.traits->taints.empty() && at.snapshot.taint_rules().empty()) return false;
  const DeviceId id{at.pool.driver, at.pool.name, DeviceName(*device.name)};
  return !cluster::taints_of(at.snapshot, id, *device.traits).empty();
}

/// How a device stands: the figure that counts it.
using State = std::size_t DeviceFigures::*;

/// Of each device of a slice, in its order.
std::vector<State> states_of(const PoolAt& at, const cluster::CountersLeft& left,
                             const cluster::PoolSlot& slot) {
  const auto& devices = slot.slice->devices;
  std::vector<State> states(devices.size(), nullptr);
  if (slot.use) {
    for (const auto& [place, use] : *slot.use) {
      if (place >= devices.size() || use.none()) continue;
      states[place] = use.dedicated > 0 ? &DeviceFigures::in_use : &DeviceFigures::shared;
    }
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (states[i] != nullptr) continue;
    states[i] = keeps_off(at, devices[i])             ? &DeviceFigures::tainted
                : left.blocker(devices[i]) != nullptr ? &DeviceFigures::blocked
                                                      : &DeviceFigures::free;
  }
  return states;
}

/// Which classes accept the devices of a slice. Slices of like nodes share a list of devices, so
/// that selectors run once for all of them.
class ClassesOfDevices {
 public:
  ClassesOfDevices(const cluster::Snapshot& snapshot, cel::SelectorMemo& memo)
      : classes_(snapshot.classes()), memo_(memo) {}

  /// Of each device the places of its classes among the snapshot's.
  const std::vector<std::vector<std::size_t>>& of(const cluster::PublishedDevices& devices) {
    const auto [known, fresh] = by_list_.try_emplace(devices.begin());
    if (!fresh) return known->second;
    for (const auto& device : devices) {
      auto& accepting = known->second.emplace_back();
      for (std::size_t i = 0; i < classes_.size(); ++i) {
        if (accepts(*classes_[i], device)) accepting.push_back(i);
      }
    }
    return known->second;
  }

 private:
  bool accepts(const cluster::CompiledClass& kind, const cluster::PublishedDevice& device) {
    return std::ranges::all_of(kind.selectors, [&](const cluster::CompiledSelector& selector) {
      return selector.program && memo_.match(selector.program, device.shape) == cel::Verdict::yes;
    });
  }

  std::span<const std::shared_ptr<const cluster::CompiledClass>> classes_;
  cel::SelectorMemo& memo_;
  std::unordered_map<const cluster::PublishedDevice*, std::vector<std::vector<std::size_t>>>
      by_list_;
};

/// What the devices of one pool come to.
struct OfPool {
  DeviceFigures figures;                                       ///< but for what is left over
  std::vector<std::pair<std::string_view, OnNode>> nodes;      ///< by its slices' nodes
  std::vector<std::pair<std::size_t, DeviceFigures>> classes;  ///< by their places
};

void add(DeviceFigures& sum, const DeviceFigures& part) {
  sum.free += part.free;
  sum.tainted += part.tainted;
  sum.blocked += part.blocked;
  sum.in_use += part.in_use;
  sum.shared += part.shared;
}

/// `classes` null: these are not asked for.
OfPool count_pool(const PoolAt& at, ClassesOfDevices* classes) {
  OfPool counted;
  std::map<std::size_t, DeviceFigures> by_class;
  const cluster::CountersLeft left(at.pool);
  for (const auto& slot : at.pool.slots) {
    if (slot.slice->generation != at.pool.generations.back().generation) continue;
    const auto states = states_of(at, left, slot);
    OnNode node;
    for (const auto state : states) {
      ++(counted.figures.*state);
      if (state == &DeviceFigures::free) ++node.free;
      node.used |= state == &DeviceFigures::in_use || state == &DeviceFigures::shared;
    }
    // What several nodes may use is left over on none of them.
    if (const auto& name = slot.slice->node_name(); !name.empty()) {
      counted.nodes.emplace_back(name, node);
    }
    if (classes == nullptr) continue;
    const auto& accepting = classes->of(slot.slice->devices);
    for (std::size_t i = 0; i < states.size(); ++i) {
      for (const auto kind : accepting[i]) ++(by_class[kind].*states[i]);
    }
  }
  counted.classes.assign(by_class.begin(), by_class.end());
  return counted;
}

/// What pools come to together.
class Sum {
 public:
  void count(const cluster::Pool& pool, const OfPool& counted) {
    if (pool.slots.empty()) return;
    auto& [figures, nodes] = by_driver_[pool.driver];
    add(figures, counted.figures);
    for (const auto& [name, node] : counted.nodes) {
      auto& all = nodes[name];
      all.free += node.free;
      all.used |= node.used;
    }
    for (const auto& [kind, part] : counted.classes) add(by_class_[kind], part);
  }

  [[nodiscard]] std::map<DriverName, DeviceFigures> by_driver() const {
    std::map<DriverName, DeviceFigures> all;
    for (const auto& [driver, sum] : by_driver_) {
      auto figures = sum.figures;
      for (const auto& [name, node] : sum.nodes) {
        if (node.used) figures.free_on_used_nodes += node.free;
        figures.most_free_on_one_node = std::max(figures.most_free_on_one_node, node.free);
      }
      all.emplace(driver, figures);
    }
    return all;
  }

  [[nodiscard]] std::map<ClassName, DeviceFigures> by_class(
      const cluster::Snapshot& snapshot) const {
    std::map<ClassName, DeviceFigures> all;
    for (std::size_t i = 0; i < snapshot.classes().size(); ++i) {
      const auto known = by_class_.find(i);
      all.emplace(ClassName(snapshot.classes()[i]->object->meta.name),
                  known == by_class_.end() ? DeviceFigures() : known->second);
    }
    return all;
  }

 private:
  struct OfDriver {
    DeviceFigures figures;
    std::unordered_map<std::string_view, OnNode> nodes;
  };
  std::map<DriverName, OfDriver> by_driver_;
  std::map<std::size_t, DeviceFigures> by_class_;  ///< by the class's place
};

}  // namespace

std::map<DriverName, DeviceFigures> count_devices(const cluster::Snapshot& snapshot) {
  Sum sum;
  snapshot.for_each_pool(
      [&](const cluster::Pool& pool) { sum.count(pool, count_pool({snapshot, pool}, nullptr)); });
  return sum.by_driver();
}

struct DeviceCounter::State {
  /// Held, so that nothing else gets the addresses of its pools.
  std::shared_ptr<const cluster::Snapshot> last;
  std::unordered_map<const cluster::Pool*, OfPool> pools;
  cel::SelectorMemo memo;
  std::size_t pools_read = 0;
};

DeviceCounter::DeviceCounter() : state_(std::make_unique<State>()) {}
DeviceCounter::~DeviceCounter() = default;

DeviceCounter::Counted DeviceCounter::count(std::shared_ptr<const cluster::Snapshot> snapshot) {
  const auto& last = state_->last;
  if (!last || !std::ranges::equal(last->classes(), snapshot->classes()) ||
      !std::ranges::equal(last->taint_rules(), snapshot->taint_rules())) {
    state_->pools.clear();
    state_->memo = cel::SelectorMemo();
  }
  ClassesOfDevices classes(*snapshot, state_->memo);
  std::unordered_map<const cluster::Pool*, OfPool> pools;
  pools.reserve(state_->pools.size());
  Sum sum;
  snapshot->for_each_pool([&](const cluster::Pool& pool) {
    auto known = state_->pools.extract(&pool);
    if (known.empty()) ++state_->pools_read;
    const auto& counted = known.empty()
                              ? pools.emplace(&pool, count_pool({*snapshot, pool}, &classes)).first
                              : pools.insert(std::move(known)).position;
    sum.count(pool, counted->second);
  });
  state_->pools = std::move(pools);
  state_->last = std::move(snapshot);
  return {sum.by_driver(), sum.by_class(*state_->last)};
}

std::size_t DeviceCounter::pools_read() const {
  return state_->pools_read;
}

}  // namespace dray::metrics
