#include "cluster/claim_book.h"

#include <algorithm>
#include <utility>

#include "cluster/device_use.h"

namespace dray::cluster {

std::shared_ptr<const ResourceClaim> ClaimBook::find(const ClaimKey& key) const {
  const auto* claim = claims_.find(key);
  return claim == nullptr ? nullptr : *claim;
}

void ClaimBook::put(std::shared_ptr<const ResourceClaim> claim) {
  const auto key = claim->key();
  Allocation real;
  if (claim->allocation) real = Allocation(claim, &*claim->allocation);
  claims_.set(key, std::move(claim));
  if (!real && holdings_.find(key) == nullptr) return;
  holdings_.for_write(key).real = std::move(real);
  settle(key);
}

bool ClaimBook::erase(const ClaimKey& key) {
  if (!claims_.erase(key)) return false;
  if (holdings_.find(key) != nullptr) {
    holdings_.for_write(key).real = nullptr;
    settle(key);
  }
  return true;
}

void ClaimBook::assume(const Uid& pod, const ClaimPlacement& placement) {
  holdings_.for_write(placement.claim).assumed[pod] =
      std::make_shared<const AllocationResult>(placement.allocation);
  settle(placement.claim);
}

void ClaimBook::forget(const Uid& pod, const ClaimKey& claim) {
  const auto* holding = holdings_.find(claim);
  if (holding == nullptr || !holding->assumed.contains(pod)) return;
  holdings_.for_write(claim).assumed.erase(pod);
  settle(claim);
}

void ClaimBook::settle(const ClaimKey& key) {
  auto& holding = holdings_.for_write(key);
  std::vector<Allocation> distinct;
  if (holding.real) distinct.push_back(holding.real);
  for (const auto& [pod, allocation] : holding.assumed) {
    const bool known = std::ranges::any_of(
        distinct, [&](const auto& other) { return same_devices(*other, *allocation); });
    if (!known) distinct.push_back(allocation);
  }
  // An allocation that only moved from assumed to real frees nothing in between.
  const bool same = std::ranges::equal(distinct, holding.counted, [](const auto& a, const auto& b) {
    return a == b || a->devices == b->devices;
  });
  if (!same) {
    for (const auto& allocation : holding.counted) count(*allocation, false);
    for (const auto& allocation : distinct) count(*allocation, true);
  }
  holding.counted = std::move(distinct);
  if (holding.real || holding.assumed.empty()) {
    promised_.erase(key);
  } else {
    promised_.set(key, holding.counted.front());
  }
  if (holding.counted.empty()) holdings_.erase(key);
}

void ClaimBook::count(const AllocationResult& allocation, bool add) {
  for (const auto& device : allocation.devices) {
    if (device.admin_access.value_or(false)) continue;
    pools_.change_use(device.device, [&](DeviceUse& use) {
      add ? add_use(use, device) : remove_use(use, device);
    });
  }
}

}  // namespace dray::cluster
