#include "dray/cluster/allocated_state.h"

#include <algorithm>
#include <utility>

#include "cluster/device_use.h"
#include "dray/base/check.h"

namespace dray::cluster {
namespace {

/// The use of a device in the snapshot; null: none, or no slice shows it.
const DeviceUse* use_in_snapshot(const Pool& pool, const std::string& device) {
  for (const auto& slot : pool.slots) {
    if (!slot.use) continue;
    for (const auto& [position, use] : *slot.use) {
      if (*slot.slice->devices[position].name == device) return &use;
    }
  }
  return nullptr;
}

}  // namespace

void AllocatedState::change_use(const DeviceId& device,
                                const std::function<void(DeviceUse&)>& change) {
  const auto pool = base_->find_pool(device.driver, device.pool);
  if (!pool) return;  // no slice ever showed it: nothing can be allocated of it
  auto& changes = pools_[pool->get()];
  const auto& name = device.device.get();
  DeviceChanged journal{pool->get(), name, std::nullopt};
  const auto known = changes.find(name);
  DeviceUse use;
  if (known != changes.end()) {
    use = known->second;
    journal.before = use;
  } else if (const auto* base = use_in_snapshot(base_->pool(*pool), name)) {
    use = *base;
  }
  change(use);
  changes.insert_or_assign(name, std::move(use));
  journal_.emplace_back(std::move(journal));
}

void AllocatedState::change_node(NodeIndex node, const std::function<void(NodeUse&)>& change) {
  NodeChanged journal{node.get(), std::nullopt};
  const auto known = nodes_.find(node.get());
  NodeUse use;
  if (known != nodes_.end()) {
    use = known->second;
    journal.before = use;
  } else if (const auto& base = base_->entry(node).use) {
    use = *base;
  }
  change(use);
  nodes_.insert_or_assign(node.get(), std::move(use));
  journal_.emplace_back(std::move(journal));
}

void AllocatedState::set_allocation(const ClaimKey& claim,
                                    std::shared_ptr<const AllocationResult> allocation) {
  const auto known = claims_.find(claim);
  journal_.emplace_back(ClaimChanged{claim, known != claims_.end(),
                                     known == claims_.end() ? nullptr : known->second});
  claims_.insert_or_assign(claim, std::move(allocation));
}

void AllocatedState::place(const Placement& placement, const Pod* pod) {
  const auto held = pod == nullptr ? base_->pod(placement.pod) : nullptr;
  if (pod == nullptr) pod = held.get();
  const auto node = base_->node(placement.node);
  if (pod != nullptr && node && !pod->node_name) {
    add_use(*node, use_of(*pod, placement.node_allocatable));
  }
  for (const auto& claim : placement.claims) {
    if (!allocation(claim.claim)) add_claim(claim);
  }
}

void AllocatedState::add_use(NodeIndex node, const NodeUse& more) {
  change_node(node, [&](NodeUse& use) { use.add(more); });
}

void AllocatedState::remove_use(NodeIndex node, const NodeUse& less) {
  change_node(node, [&](NodeUse& use) { use.subtract(less); });
}

void AllocatedState::add_claims(const Placement& placement) {
  for (const auto& claim : placement.claims) {
    const auto had = allocation(claim.claim);
    if (!had || *had != claim.allocation) add_claim(claim);
  }
}

void AllocatedState::add_claim(const ClaimPlacement& claim) {
  if (!allocation(claim.claim)) {
    set_allocation(claim.claim, std::make_shared<const AllocationResult>(claim.allocation));
  }
  for (const auto& device : claim.allocation.devices) {
    if (device.admin_access.value_or(false)) continue;  // it holds nothing
    change_use(device.device, [&](DeviceUse& use) { cluster::add_use(use, device); });
  }
}

void AllocatedState::take(const DeviceId& device, const DeviceUse& more) {
  change_use(device, [&](DeviceUse& use) {
    use.dedicated += more.dedicated;
    use.shares += more.shares;
    use.has_consumed = use.has_consumed || more.has_consumed;
    for (const auto& [name, amount] : more.consumed) {
      const auto [at, added] = use.consumed.try_emplace(name, amount);
      if (!added) at->second += amount;
    }
  });
}

void AllocatedState::release(const ClaimKey& claim) {
  const auto held = allocation(claim);
  if (!held) return;
  set_allocation(claim, nullptr);
  remove_devices(*held);
}

void AllocatedState::remove_devices(const AllocationResult& less) {
  for (const auto& device : less.devices) {
    if (device.admin_access.value_or(false)) continue;
    change_use(device.device, [&](DeviceUse& use) { cluster::remove_use(use, device); });
  }
}

void AllocatedState::clear_node(NodeIndex node) {
  const auto& entry = base_->entry(node);
  change_node(node, [](NodeUse& use) { use = {}; });
  const auto free_all = [&](const Pool& pool) {
    for (const auto& slot : pool.slots) {
      if (!slot.use) continue;
      const auto& of = slot.slice->node_name();
      // Another node's devices count where they draw on the same counters.
      const bool elsewhere = !of.empty() && of != entry.facts->name.get();
      if (elsewhere && !pool.has_counters) continue;
      for (const auto& [at, use] : *slot.use) {
        const DeviceId device{pool.driver, pool.name, DeviceName(*slot.slice->devices[at].name)};
        change_use(device, [](DeviceUse& changed) { changed = {}; });
      }
    }
  };
  for (const auto index : entry.pools) free_all(base_->pool(index));
  for (const auto index : base_->shared_pools()) free_all(base_->pool(index));
}

void AllocatedState::remove_pod(const Pod& pod) {
  if (!pod.node_name || pod.finished()) return;
  const auto node = base_->node(*pod.node_name);
  if (!node) return;
  remove_use(*node, use_of(pod));
}

void AllocatedState::rollback(Checkpoint checkpoint) {
  DRAY_CHECK(checkpoint.get() <= journal_.size());
  while (journal_.size() > checkpoint.get()) {
    auto& change = journal_.back();
    if (auto* node = std::get_if<NodeChanged>(&change)) {
      if (node->before) {
        nodes_.insert_or_assign(node->node, std::move(*node->before));
      } else {
        nodes_.erase(node->node);
      }
    } else if (auto* device = std::get_if<DeviceChanged>(&change)) {
      auto& changes = pools_[device->pool];
      if (device->before) {
        changes.insert_or_assign(device->device, std::move(*device->before));
      } else {
        changes.erase(device->device);
      }
      if (changes.empty()) pools_.erase(device->pool);
    } else if (auto* claim = std::get_if<ClaimChanged>(&change)) {
      if (claim->had) {
        claims_.insert_or_assign(claim->claim, std::move(claim->before));
      } else {
        claims_.erase(claim->claim);
      }
    }
    journal_.pop_back();
  }
}

const NodeUse* AllocatedState::use(NodeIndex node) const {
  const auto changed = nodes_.find(node.get());
  return changed != nodes_.end() ? &changed->second : base_->entry(node).use.get();
}

std::shared_ptr<const AllocationResult> AllocatedState::allocation(const ClaimKey& claim) const {
  const auto changed = claims_.find(claim);
  return changed != claims_.end() ? changed->second : base_->allocation(claim);
}

const DeviceUse* AllocatedState::changed_use(PoolIndex pool, const std::string& device) const {
  const auto changes = pools_.find(pool.get());
  if (changes == pools_.end()) return nullptr;
  const auto at = changes->second.find(device);
  return at == changes->second.end() ? nullptr : &at->second;
}

bool AllocatedState::operator==(const AllocatedState& other) const {
  return base_ == other.base_ && nodes_ == other.nodes_ && pools_ == other.pools_ &&
         claims_ == other.claims_;
}

}  // namespace dray::cluster
