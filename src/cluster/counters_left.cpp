#include "dray/cluster/counters_left.h"

namespace dray::cluster {

CountersLeft::CountersLeft(const Pool& pool) {
  if (!pool.has_counters) return;
  const auto newest = pool.generations.back().generation;
  for (const auto& slot : pool.slots) {
    if (slot.slice->generation != newest) continue;
    for (const auto& set : slot.slice->shared_counters) {
      auto& counters = sets_[set.name];
      for (const auto& [name, amount] : set.counters) counters[name].left = amount;
    }
  }
  for (const auto& slot : pool.slots) {
    if (slot.slice->generation != newest || !slot.use) continue;
    for (const auto& [place, use] : *slot.use) {
      if (place < slot.slice->devices.size() && !use.none()) charge(slot.slice->devices[place]);
    }
  }
}

void CountersLeft::charge(const PublishedDevice& device) {
  for (const auto& taken : device.traits->consumes_counters) {
    const auto set = sets_.find(taken.counter_set);
    if (set == sets_.end()) continue;
    for (const auto& [name, amount] : taken.counters) {
      const auto counter = set->second.find(name);
      if (counter == set->second.end()) continue;
      counter->second.left -= amount;
      if (counter->second.taker == nullptr) counter->second.taker = &device;
    }
  }
}

const PublishedDevice* CountersLeft::blocker(const PublishedDevice& device) const {
  for (const auto& wanted : device.traits->consumes_counters) {
    const auto set = sets_.find(wanted.counter_set);
    if (set == sets_.end()) continue;
    for (const auto& [name, amount] : wanted.counters) {
      const auto counter = set->second.find(name);
      if (counter == set->second.end() || counter->second.taker == nullptr) continue;
      if (counter->second.left < amount) return counter->second.taker;
    }
  }
  return nullptr;
}

}  // namespace dray::cluster
