#include "engine/books/advice_book.h"

#include <algorithm>
#include <utility>

#include "dray/alloc/extended_resources.h"

namespace dray::engine {
namespace {

/// Ids of shares are drawn anew each time; when it was written is nobody's choice.
AllocationResult comparable(AllocationResult allocation) {
  for (auto& device : allocation.devices) device.share_id.reset();
  allocation.allocated.reset();
  return allocation;
}

}  // namespace

void AdviceBook::told(const Placement& best, Ranks ranks) {
  erase(best.pod_uid);
  auto& told = told_[best.pod_uid];
  told.best = best;
  told.ranks = std::move(ranks);
  for (const auto& part : best.claims) {
    if (part.already_allocated) continue;
    told.awaited.insert(part.claim);
    waiting_[part.claim].insert(best.pod_uid);
  }
}

const AdviceBook::Ranks* AdviceBook::ranks(const Uid& pod) const {
  const auto found = told_.find(pod);
  return found == told_.end() ? nullptr : &found->second.ranks;
}

AdviceBook::Shown AdviceBook::shown(const ResourceClaim& claim) {
  Shown shown;
  if (!claim.allocation) return shown;
  if (const auto pods = waiting_.extract(claim.key()); !pods.empty()) {
    for (const auto& uid : pods.mapped()) show(told_.at(uid), claim.key(), claim, shown);
  }
  // Its name is the API server's: only its owner says whose it is.
  for (const auto& owner : claim.meta.owners) {
    const auto found = told_.find(owner.uid);
    if (found == told_.end() || !alloc::is_extended_resource_claim(claim, owner.uid)) continue;
    const auto& parts = found->second.best.claims;
    const auto part = std::ranges::find_if(
        parts, [](const ClaimPlacement& each) { return each.extended.has_value(); });
    if (part == parts.end()) continue;
    const auto key = part->claim;
    if (!found->second.awaited.contains(key)) continue;
    waiting_.erase(key);
    show(found->second, key, claim, shown);
  }
  return shown;
}

void AdviceBook::show(Told& told, const ClaimKey& key, const ResourceClaim& claim, Shown& shown) {
  told.awaited.erase(key);
  auto& parts = told.best.claims;
  const auto part = std::ranges::find(parts, key, &ClaimPlacement::claim);
  const bool same = comparable(part->allocation) == comparable(*claim.allocation);
  ++(same ? figures_.as_foretold : figures_.otherwise);
  if (told.bound && told.awaited.empty()) {
    shown.forget.push_back(told.best.pod_uid);
    told_.erase(Uid(told.best.pod_uid));
  } else if (key != claim.key()) {
    // Under its own name it counts by itself.
    parts.erase(part);
    shown.assume.push_back(told.best);
  } else if (!same || !same_devices(part->allocation, *claim.allocation)) {
    part->allocation = *claim.allocation;  // else both would count: a share has another id there
    shown.assume.push_back(told.best);
  }
}

bool AdviceBook::stays_when_bound(const Uid& pod) {
  const auto found = told_.find(pod);
  if (found == told_.end()) return false;
  found->second.bound = true;
  if (!found->second.awaited.empty()) return true;
  told_.erase(found);
  return false;
}

void AdviceBook::stop_waiting(const Told& told) {
  for (const auto& key : told.awaited) {
    const auto pods = waiting_.find(key);
    if (pods == waiting_.end()) continue;
    pods->second.erase(told.best.pod_uid);
    if (pods->second.empty()) waiting_.erase(pods);
  }
}

void AdviceBook::erase(const Uid& pod) {
  const auto found = told_.find(pod);
  if (found == told_.end()) return;
  stop_waiting(found->second);
  told_.erase(found);
}

void AdviceBook::reset() {
  told_.clear();
  waiting_.clear();
}

}  // namespace dray::engine
