#include "planner/evict/given_back.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

namespace dray::planner {
namespace {

/// No more is used than before: only who had it then has it.
bool is_within(const cluster::DeviceUse& use, const cluster::DeviceUse& before) {
  return use.dedicated <= before.dedicated && use.shares <= before.shares &&
         std::ranges::all_of(use.consumed, [&](const auto& entry) {
           const auto known = before.consumed.find(entry.first);
           return known != before.consumed.end() && entry.second <= known->second;
         });
}

/// Whether the plan has given away something of the device that was not used before it.
bool was_taken(const cluster::PoolSlot& slot, std::size_t at, const cluster::DeviceUse* use) {
  if (use == nullptr || use->none()) return false;
  return !slot.use || std::ranges::none_of(*slot.use, [&](const auto& known) {
    return known.first == at && is_within(*use, known.second);
  });
}

}  // namespace

bool GivenBack::are_free(const Placement& had) const {
  return std::ranges::all_of(had.claims, [&](const ClaimPlacement& claim) {
    return overlay_.releasing().allocation(claim.claim) || are_free(claim.allocation);
  });
}

bool GivenBack::are_free(const AllocationResult& had) const {
  return std::ranges::all_of(had.devices,
                             [&](const AllocatedDevice& device) { return is_free(device, had); });
}

bool GivenBack::is_free(const AllocatedDevice& had, const AllocationResult& claim) const {
  const auto pool = snapshot_.find_pool(had.device.driver, had.device.pool);
  if (!pool) return false;
  const Where where{*pool, had.device.device.get()};
  const auto* use = overlay_.releasing().changed_use(where.pool, where.device);
  if (use == nullptr) return false;
  return (use->none() || has_room(where, had, claim)) && !counters_taken(where);
}

/// A share fits beside the other shares of its device where all its capacities suffice: for those
/// of the claim that are of this device together.
bool GivenBack::has_room(const Where& where, const AllocatedDevice& had,
                         const AllocationResult& claim) const {
  const auto* use = overlay_.releasing().changed_use(where.pool, where.device);
  if (!had.share_id || use->dedicated > 0) return false;
  Counters needed = use->consumed;
  for (const auto& each : claim.devices) {
    if (each.device != had.device) continue;
    for (const auto& [name, amount] : each.consumed_capacity) {
      const auto [at, added] = needed.try_emplace(name, amount);
      if (!added) at->second += amount;
    }
  }
  for (const auto& slot : snapshot_.pool(where.pool).slots) {
    const auto device = std::ranges::find_if(slot.slice->devices, [&](const auto& published) {
      return *published.name == where.device;
    });
    if (device == slot.slice->devices.end()) continue;
    const auto& capacity = device->traits->capacity;
    return std::ranges::all_of(needed, [&](const auto& entry) {
      const auto all = capacity.find(entry.first);
      return all != capacity.end() && entry.second <= all->second.value;
    });
  }
  return false;
}

/// Whether the plan gave a device away that shares a counter set with this one.
bool GivenBack::counters_taken(const Where& where) const {
  const auto& slots = snapshot_.pool(where.pool).slots;
  const auto draws_on = [](const auto& published, const std::set<std::string>& sets) {
    return std::ranges::any_of(published.traits->consumes_counters,
                               [&](const auto& takes) { return sets.contains(takes.counter_set); });
  };
  std::set<std::string> sets;
  for (const auto& slot : slots) {
    for (const auto& published : slot.slice->devices) {
      if (*published.name != where.device) continue;
      for (const auto& takes : published.traits->consumes_counters) sets.insert(takes.counter_set);
    }
  }
  if (sets.empty()) return false;
  for (const auto& slot : slots) {
    const auto& devices = slot.slice->devices;
    for (std::size_t at = 0; at < devices.size(); ++at) {
      const auto* use = overlay_.releasing().changed_use(where.pool, *devices[at].name);
      if (was_taken(slot, at, use) && draws_on(devices[at], sets)) return true;
    }
  }
  return false;
}

}  // namespace dray::planner
