#include "planner/state/device_offers.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dray::planner {
namespace {

bool counts_alike(const DeviceOffers::Size& size, const DriverName& driver,
                  const cluster::PublishedDevice& device) {
  return size.driver == driver &&
         (size.traits == device.traits ||
          (size.traits->allow_multiple_allocations == device.traits->allow_multiple_allocations &&
           size.traits->capacity == device.traits->capacity));
}

}  // namespace

void DeviceOffers::restart(const cluster::Snapshot& snapshot, const policy::Policy& policy) {
  classes_.clear();
  nodes_.clear();
  shared_ = {};
  memo_.clear();
  ++version_;
  ++sharing_version_;
  for (const auto& name : policy.counting.device_classes()) {
    const bool known =
        std::ranges::any_of(classes_, [&](const auto& each) { return each.name == name; });
    auto compiled = snapshot.compiled_class(name);
    if (known || !compiled) continue;
    classes_.push_back({.name = name, .compiled = std::move(compiled), .offer = {}, .nodes = {}});
  }
  shared_.counts.resize(classes_.size(), 0);
}

void DeviceOffers::measure(const cluster::Snapshot& snapshot, cluster::NodeIndex node) {
  if (nodes_.size() <= node.get()) nodes_.resize(snapshot.node_limit());
  auto& source = nodes_[node.get()];
  std::vector<Slice> slices;
  const auto& entry = snapshot.entry(node);
  if (entry.facts) {
    for (const auto index : entry.pools) {
      const auto& pool = snapshot.pool(index);
      const auto [first, last] = pool.of_node(entry.facts->name.get());
      for (auto slot = first; slot != last; ++slot) {
        slices.emplace_back(pool.driver, pool.slots[slot].slice);
      }
    }
  }
  replace(source, std::move(slices), true);
}

void DeviceOffers::remove_from(std::size_t limit) {
  for (auto i = limit; i < nodes_.size(); ++i) replace(nodes_[i], {}, true);
  if (nodes_.size() > limit) nodes_.resize(limit);
}

void DeviceOffers::measure_shared(const cluster::Snapshot& snapshot) {
  std::vector<Slice> slices;
  for (const auto index : snapshot.shared_pools()) {
    const auto& pool = snapshot.pool(index);
    for (const auto& slot : pool.slots) {
      if (slot.slice->node_name().empty()) slices.emplace_back(pool.driver, slot.slice);
    }
  }
  replace(shared_, std::move(slices), false);
}

const DeviceOffers::OfClass* DeviceOffers::find(const ClassName& name) const {
  const auto at = std::ranges::find(classes_, name, &Counted::name);
  return at == classes_.end() ? nullptr : &at->offer;
}

void DeviceOffers::replace(Source& source, std::vector<Slice> slices, bool of_node) {
  if (source.slices == slices) return;
  source.counts.resize(classes_.size(), 0);
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    auto& counted = classes_[i];
    std::size_t count = 0;
    for (const auto& [driver, slice] : slices) {
      for (const auto& device : slice->devices) {
        if (!is_of(counted, device)) continue;
        add(counted, driver, device);
        ++count;
      }
    }
    for (const auto& [driver, slice] : source.slices) {
      for (const auto& device : slice->devices) {
        if (is_of(counted, device)) remove(counted, driver, device);
      }
    }
    const auto before = std::exchange(source.counts[i], count);
    if (of_node && before > 0 && --counted.nodes[before] == 0) counted.nodes.erase(before);
    if (of_node && count > 0) ++counted.nodes[count];
  }
  source.slices = std::move(slices);
  for (std::size_t i = 0; i < classes_.size(); ++i) summarize(i);
}

bool DeviceOffers::is_of(const Counted& counted, const cluster::PublishedDevice& device) {
  return std::ranges::all_of(counted.compiled->selectors, [&](const auto& selector) {
    return selector.program && memo_.match(selector.program, device.shape) == cel::Verdict::yes;
  });
}

void DeviceOffers::add(Counted& counted, const DriverName& driver,
                       const cluster::PublishedDevice& device) {
  auto& sizes = counted.offer.sizes;
  const auto known = std::ranges::find_if(
      sizes, [&](const Size& size) { return counts_alike(size, driver, device); });
  if (known != sizes.end()) {
    ++known->devices;
    return;
  }
  sizes.push_back({.driver = driver, .traits = device.traits, .devices = 1});
  ++version_;
}

void DeviceOffers::remove(Counted& counted, const DriverName& driver,
                          const cluster::PublishedDevice& device) {
  auto& sizes = counted.offer.sizes;
  const auto known = std::ranges::find_if(
      sizes, [&](const Size& size) { return counts_alike(size, driver, device); });
  if (known == sizes.end() || --known->devices > 0) return;
  sizes.erase(known);
  ++version_;
}

/// By what its nodes have and what many nodes see.
void DeviceOffers::summarize(std::size_t at) {
  auto& counted = classes_[at];
  auto& offer = counted.offer;
  const auto shared = shared_.counts[at];
  const auto before = std::tuple(offer.fewest, offer.most);
  const auto sharing = std::tuple(offer.shareable, offer.most > 0);
  offer.most = shared + (counted.nodes.empty() ? 0 : counted.nodes.rbegin()->first);
  offer.fewest = counted.nodes.empty() ? 0 : counted.nodes.begin()->first;
  if (shared > 0) offer.fewest = 1;
  offer.shareable = std::ranges::any_of(
      offer.sizes, [](const Size& size) { return size.traits->allow_multiple_allocations; });
  if (before != std::tuple(offer.fewest, offer.most)) ++version_;
  if (sharing != std::tuple(offer.shareable, offer.most > 0)) ++sharing_version_;
}

}  // namespace dray::planner
