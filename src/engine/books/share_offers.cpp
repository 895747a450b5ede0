#include "engine/books/share_offers.h"

#include <algorithm>
#include <utility>

namespace dray::engine {

/// Of a device as it came, or as dray keeps it: its capacities have the same names.
template <class Traits>
void ShareOffers::collect(const DriverName& driver, const Traits& device,
                          std::set<ShareOffer>& into) const {
  if (!device.allow_multiple_allocations) return;
  const auto memory = device.capacity.find(rule_->memory);
  if (memory == device.capacity.end()) return;
  ShareOffer made{driver, memory->second.value, {}};
  for (const auto& name : rule_->others) {
    const auto other = device.capacity.find(name);
    if (other == device.capacity.end()) return;
    made.others.push_back(other->second.value);
  }
  into.insert(std::move(made));
}

void ShareOffers::replace(const std::string& slice, std::set<ShareOffer> next) {
  if (const auto known = by_slice_.find(slice); known != by_slice_.end()) {
    for (const auto& offer : known->second) {
      const auto count = slices_.find(offer);
      if (--count->second == 0) slices_.erase(count);
    }
    by_slice_.erase(known);
  }
  if (next.empty()) return;
  for (const auto& offer : next) ++slices_[offer];
  by_slice_.emplace(slice, std::move(next));
}

void ShareOffers::set_rule(const std::optional<policy::Fractions>& rule,
                           const cluster::Snapshot& snapshot) {
  if (rule == rule_) return;
  rule_ = rule;
  by_slice_.clear();
  slices_.clear();
  if (!rule_) return;
  snapshot.for_each_pool([&](const cluster::Pool& pool) {
    for (const auto& slot : pool.slots) {
      std::set<ShareOffer> offers;
      for (const auto& device : slot.slice->devices) collect(pool.driver, *device.traits, offers);
      replace(slot.slice->name, std::move(offers));
    }
  });
}

void ShareOffers::put(const ResourceSlice& slice) {
  if (!rule_) return;
  std::set<ShareOffer> offers;
  for (const auto& device : slice.devices) collect(slice.driver, device, offers);
  replace(slice.meta.name, std::move(offers));
}

void ShareOffers::erase(const std::string& slice) {
  if (rule_) replace(slice, {});
}

std::vector<ShareOffer> ShareOffers::all() const {
  std::vector<ShareOffer> all;
  all.reserve(slices_.size());
  for (const auto& [offer, count] : slices_) all.push_back(offer);
  std::ranges::stable_sort(all, {}, &ShareOffer::memory);
  return all;
}

std::vector<ShareOffer> share_offers(const cluster::Snapshot& snapshot,
                                     const policy::Fractions& rule) {
  ShareOffers offers;
  offers.set_rule(rule, snapshot);
  return offers.all();
}

}  // namespace dray::engine
