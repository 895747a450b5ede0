#include "dashboard/device_owners.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace dray::dashboard {

DeviceOwners::DeviceOwners(const cluster::Snapshot& snapshot,
                           const std::vector<engine::Engine::JobRow>& jobs) {
  claims_.reserve(snapshot.claim_count());
  snapshot.for_each_claim([&](const ClaimKey& key, const ResourceClaim& claim) {
    claims_.push_back({&claim, snapshot.allocation(key)});
  });
  std::ranges::sort(claims_, [](const HeldClaim& a, const HeldClaim& b) {
    return std::tie(a.claim->meta.namespace_name, a.claim->meta.name) <
           std::tie(b.claim->meta.namespace_name, b.claim->meta.name);
  });
  const std::hash<DeviceId> hash;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    const auto& allocation = claims_[i].allocation;
    if (!allocation) continue;
    for (std::size_t device = 0; device < allocation->devices.size(); ++device) {
      entries_.push_back({hash(allocation->devices[device].device), i, device});
    }
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::tie(a.hash, a.claim, a.device) < std::tie(b.hash, b.claim, b.device);
  });
  for (const auto& row : jobs) {
    for (const auto& member : row.job->members) {
      job_of_pod_.emplace(member.pod->meta.uid.get(), row.job.get());
    }
  }
}

std::vector<Holder> DeviceOwners::of(const DeviceId& device) const {
  std::vector<Holder> holders;
  const auto hash = std::hash<DeviceId>{}(device);
  for (const auto& entry : std::ranges::equal_range(entries_, hash, {}, &Entry::hash)) {
    const auto& [claim, allocation] = claims_[entry.claim];
    const auto& allocated = allocation->devices[entry.device];
    if (allocated.device != device) continue;
    holders.push_back({claim, &allocated, !claim->allocation});
  }
  return holders;
}

const planner::Job* DeviceOwners::job_of(const ResourceClaim& claim) const {
  // Tenants write owners and users: a uid of another namespace's pod says nothing.
  const auto find = [&](const Uid& pod) -> const planner::Job* {
    const auto at = job_of_pod_.find(pod.get());
    if (at == job_of_pod_.end()) return nullptr;
    const auto& job = *at->second;
    return job.first().meta.namespace_name == claim.meta.namespace_name ? &job : nullptr;
  };
  for (const auto& user : claim.reserved_for) {
    if (const auto* job = find(user.uid); job != nullptr) return job;
  }
  for (const auto& owner : claim.meta.owners) {
    if (const auto* job = find(owner.uid); job != nullptr) return job;
  }
  return nullptr;
}

}  // namespace dray::dashboard
