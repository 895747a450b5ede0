#include "planner/state/demand.h"

#include <utility>

#include "planner/state/claim_use.h"
#include "planner/state/fields_hash.h"

namespace dray::planner {

void add_demand(std::span<double> row, const PodDemand& demand, double sign) {
  const auto counts = demand.counts.values();
  for (std::size_t r = 0; r < counts.size(); ++r) row[r] += sign * counts[r];
  row[counts.size()] += sign * demand.devices;
  row[counts.size() + 1] += sign * demand.milli_cpu;
}

void DemandTable::clear() {
  demands_.clear();
  copied_.reset();
  copied_interned_.reset();
}

void DemandTable::update(std::shared_ptr<const cluster::Snapshot> snapshot,
                         const policy::Policy& policy) {
  snapshot_ = std::move(snapshot);
  policy_ = &policy;
  devices_.clear();
}

Kept<PodDemand>::Value DemandTable::intern(PodDemand demand) {
  FieldsHash hash;
  hash.add(demand);
  auto kept = demands_.find(hash.sum(), [&](const PodDemand& each) { return each == demand; });
  if (kept == nullptr) {
    kept = std::make_shared<const PodDemand>(std::move(demand));
    demands_.add(hash.sum(), hash.bytes(), kept);
  }
  return kept;
}

Kept<PodDemand>::Value DemandTable::demand_of(const std::shared_ptr<const Pod>& pod,
                                              const PodClaims& claims, CountedClaims& counted) {
  if (!claims.empty()) return intern(read(pod, claims, counted));
  if (const auto* same = copied(pod)) {
    if (copied_interned_ == nullptr) copied_interned_ = intern(*same);
    return copied_interned_;
  }
  return intern(read_pod(*pod));
}

PodDemand DemandTable::read(const std::shared_ptr<const Pod>& pod, const PodClaims& claims,
                            CountedClaims& counted) {
  return sum(pod, claims, Devices::as_held, counted);
}

PodDemand DemandTable::read_as_asked(const std::shared_ptr<const Pod>& pod, const PodClaims& claims,
                                     CountedClaims& counted) {
  return sum(pod, claims, Devices::as_asked, counted);
}

const Device* DemandTable::find_device(const DeviceId& id) {
  const auto known = devices_.find(id);
  if (known != devices_.end()) return &known->second;
  auto device = published_device(*snapshot_, id);
  if (!device) return nullptr;
  return &devices_.emplace(id, std::move(*device)).first->second;
}

/// What the pod itself asks for, without its claims.
PodDemand DemandTable::read_pod(const Pod& pod) const {
  auto use = cluster::use_of(pod);
  const auto& requests = use.requested;
  PodDemand demand{.counts = policy_->counting.of(requests),
                   .stays = {},
                   .devices = 0,
                   .milli_cpu = static_cast<double>(requests.milli_cpu),
                   .use = {}};
  for (const auto& [name, amount] : requests.others) {
    demand.devices += static_cast<double>(amount);
  }
  demand.stays = policy::Amounts(demand.counts.size());
  demand.use = std::move(use);
  return demand;
}

/// Pods that stand beside each other are mostly copies of one. Null: not to be had by its requests.
const PodDemand* DemandTable::copied(const std::shared_ptr<const Pod>& pod) {
  if (!pod->node_allocatable_claims.empty()) return nullptr;
  if (copied_ == nullptr || !cluster::same_use(*copied_, *pod)) {
    copied_ = pod;
    copied_demand_ = read_pod(*pod);
    copied_interned_.reset();
  }
  return &copied_demand_;
}

PodDemand DemandTable::sum(const std::shared_ptr<const Pod>& pod, const PodClaims& claims,
                           Devices devices, CountedClaims& counted) {
  const auto* same = copied(pod);
  PodDemand demand = same != nullptr ? *same : read_pod(*pod);
  for (const auto& claim : claims) {
    // A claim that several pods share counts for the first of its users; where none stands in it
    // (yet, or any more), for the first that is asked about.
    if (!is_first_user(*snapshot_, *claim, *pod)) continue;
    if (is_shared(*claim, *pod)) {
      const auto& counts_for = counted.try_emplace(claim->key(), pod->meta.uid).first->second;
      if (counts_for != pod->meta.uid) continue;
    }
    std::shared_ptr<const AllocationResult> held;
    const AllocationResult* has = nullptr;
    if (devices == Devices::as_held) {
      if (!claim->allocation) held = snapshot_->allocation(claim->key());
      has = claim->allocation ? &*claim->allocation : held.get();
    }
    const auto counts =
        policy_->counting.of(*claim, has, [this](const DeviceId& id) { return find_device(id); });
    demand.counts += counts;
    if (used_by_others(*snapshot_, *claim, *pod)) demand.stays += counts;
    demand.devices += static_cast<double>(devices_in(*claim, has));
  }
  return demand;
}

}  // namespace dray::planner
