#include "planner/state/demand.h"

#include <utility>

#include "dray/alloc/extended_resources.h"
#include "planner/state/claim_use.h"
#include "planner/state/estimate.h"
#include "planner/state/fields_hash.h"

namespace dray::planner {
namespace {

/// So many claims of a pod have a mark of their own: no pod with more gets devices.
constexpr std::size_t most_marked = 64;

}  // namespace

void add_demand(std::span<double> row, const PodDemand& demand, double sign) {
  const auto counts = demand.counts.values();
  for (std::size_t r = 0; r < counts.size(); ++r) row[r] += sign * counts[r];
  row[counts.size()] += sign * demand.devices;
  row[counts.size() + 1] += sign * demand.milli_cpu;
}

void add_least(std::span<double> row, const PodDemand& demand) {
  const auto least = demand.least.values();
  for (std::size_t r = 0; r < least.size(); ++r) row[r] += least[r];
  row[least.size()] += demand.least_devices;
  row[least.size() + 1] += demand.milli_cpu;
}

void DemandTable::clear() {
  demands_.clear();
  classes_behind_.clear();
  estimates_.version.reset();
  estimates_.sharing_version.reset();
  copied_.reset();
  copied_interned_.reset();
}

void DemandTable::update(std::shared_ptr<const cluster::Snapshot> snapshot,
                         const policy::Policy& policy) {
  snapshot_ = std::move(snapshot);
  policy_ = &policy;
  devices_.clear();
}

void DemandTable::estimate_by(const DeviceOffers& offers, const alloc::Features& features) {
  estimates_.offers = &offers;
  estimates_.features = features;
}

bool DemandTable::outdated() const {
  const auto& made = estimates_;
  if (made.offers == nullptr) return false;
  return (made.version && *made.version != made.offers->version()) ||
         (made.sharing_version && *made.sharing_version != made.offers->sharing_version());
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

/// What extended resources count for that a DeviceClass stands behind, whoever provides them.
policy::Amounts DemandTable::of_class_resources(const cluster::NodeAmounts& requests) {
  policy::Amounts sum(policy_->counting.resources().size());
  for (const auto& [resource, amount] : requests.others) {
    const auto [known, fresh] = classes_behind_.try_emplace(resource);
    if (fresh) {
      if (const auto behind = alloc::class_behind(*snapshot_, resource)) {
        known->second = ClassName(behind->meta.name);
      }
    }
    if (known->second.get().empty()) continue;
    sum +=
        policy_->counting.of_class_resource(resource, known->second, static_cast<double>(amount));
  }
  return sum;
}

/// What the pod itself asks for, without its claims.
PodDemand DemandTable::read_pod(const Pod& pod) {
  auto use = cluster::use_of(pod);
  const auto& requests = use.requested;
  PodDemand demand;
  demand.counts = policy_->counting.of(requests) + of_class_resources(requests);
  demand.milli_cpu = static_cast<double>(requests.milli_cpu);
  for (const auto& [name, amount] : requests.others) {
    demand.devices += static_cast<double>(amount);
  }
  demand.least = demand.most = demand.counts;
  demand.least_devices = demand.devices;
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
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto& claim = claims[i];
    // A claim that several pods share counts for the first of its users; where none stands in it
    // (yet, or any more), for the first that is asked about.
    if (!is_first_user(*snapshot_, *claim, *pod)) continue;
    if (is_shared(*claim, *pod)) {
      const auto& counts_for = counted.try_emplace(claim->key(), pod->meta.uid).first->second;
      if (counts_for != pod->meta.uid) continue;
    }
    if (i < most_marked) demand.counted |= std::uint64_t{1} << i;
    const auto before = demand.counts;
    std::shared_ptr<const AllocationResult> held;
    const AllocationResult* has = nullptr;
    if (devices == Devices::as_held) {
      if (!claim->allocation) held = snapshot_->allocation(claim->key());
      has = claim->allocation ? &*claim->allocation : held.get();
    }
    if (has != nullptr) {
      add_held(*claim, *has, demand);
    } else {
      add_open(*claim, demand);
    }
    if (used_by_others(*snapshot_, *claim, *pod)) demand.stays += demand.counts - before;
  }
  return demand;
}

/// What a claim that has devices takes.
void DemandTable::add_held(const ResourceClaim& claim, const AllocationResult& held,
                           PodDemand& demand) {
  const auto counts =
      policy_->counting.of(claim, &held, [this](const DeviceId& id) { return find_device(id); });
  const auto devices = static_cast<double>(devices_in(claim, &held));
  demand.counts += counts;
  demand.least += counts;
  demand.most += counts;
  demand.devices += devices;
  demand.least_devices += devices;
}

/// What a claim may take that has none yet.
void DemandTable::add_open(const ResourceClaim& claim, PodDemand& demand) {
  auto& by = estimates_;
  const auto made = estimate(claim, policy_->counting, by.offers, by.features);
  if (by.offers != nullptr && made.by_offers) by.version = by.offers->version();
  if (by.offers != nullptr && made.by_sharing) by.sharing_version = by.offers->sharing_version();
  demand.counts += made.asked;
  demand.least += made.least;
  demand.most += made.most;
  demand.devices += made.devices;
  demand.least_devices += made.least_devices;
  demand.exact = demand.exact && made.exact;
}

Kept<PodDemand>::Value DemandTable::of_placement(const std::shared_ptr<const Pod>& pod,
                                                 const PodClaims& claims, const PodDemand& wanted,
                                                 const Placement& placement) {
  const auto* same = copied(pod);
  PodDemand demand = same != nullptr ? *same : read_pod(*pod);
  demand.counted = wanted.counted;
  for (std::size_t i = 0; i < claims.size() && i < most_marked; ++i) {
    if ((wanted.counted >> i & 1U) == 0) continue;
    const auto got = std::ranges::find(placement.claims, claims[i]->key(), &ClaimPlacement::claim);
    if (got == placement.claims.end()) continue;
    const auto before = demand.counts;
    add_held(*claims[i], got->allocation, demand);
    if (used_by_others(*snapshot_, *claims[i], *pod)) demand.stays += demand.counts - before;
  }
  return intern(std::move(demand));
}

policy::Amounts DemandTable::settled_part(const std::shared_ptr<const Pod>& pod,
                                          const PodClaims& claims, const PodDemand& wanted,
                                          const cluster::AllocatedState& state) {
  const auto* same = copied(pod);
  PodDemand demand = same != nullptr ? *same : read_pod(*pod);
  for (std::size_t i = 0; i < claims.size() && i < most_marked; ++i) {
    if ((wanted.counted >> i & 1U) == 0) continue;
    if (const auto held = state.allocation(claims[i]->key())) add_held(*claims[i], *held, demand);
  }
  return demand.counts;
}

}  // namespace dray::planner
