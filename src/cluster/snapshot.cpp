#include "dray/cluster/snapshot.h"

#include <algorithm>

#include "cluster/pool_table.h"
#include "cluster/sorted_objects.h"

namespace dray::cluster {

std::optional<NodeIndex> Snapshot::node(const NodeName& name) const {
  const auto at = std::ranges::lower_bound(
      *by_name_, name, {}, [&](NodeIndex index) -> const NodeName& { return this->name(index); });
  return at != by_name_->end() && this->name(*at) == name ? std::optional(*at) : std::nullopt;
}

std::optional<PoolIndex> Snapshot::find_pool(const DriverName& driver, const PoolName& name) const {
  const auto* index = pool_index_.find(pool_key(driver.get(), name.get()));
  return index == nullptr ? std::nullopt : std::optional(*index);
}

std::shared_ptr<const CompiledClass> Snapshot::compiled_class(const ClassName& name) const {
  return find_by_name(*classes_, name.get());
}

std::shared_ptr<const DeviceClass> Snapshot::device_class(const ClassName& name) const {
  const auto found = compiled_class(name);
  return found ? found->object : nullptr;
}

std::shared_ptr<const ResourceClaim> Snapshot::claim(const ClaimKey& key) const {
  const auto* claim = claims_.find(key);
  return claim == nullptr ? nullptr : *claim;
}

std::shared_ptr<const AllocationResult> Snapshot::allocation(const ClaimKey& key) const {
  if (const auto* held = claims_.find(key); held != nullptr && (*held)->allocation) {
    return {*held, &*(*held)->allocation};
  }
  const auto* promised = promised_.find(key);
  return promised == nullptr ? nullptr : *promised;
}

std::shared_ptr<const Pod> Snapshot::pod(const PodKey& key) const {
  const auto* pod = pods_.find(key);
  return pod == nullptr ? nullptr : *pod;
}

std::shared_ptr<const Namespace> Snapshot::name_space(const NamespaceName& name) const {
  return find_by_name(*namespaces_, name.get());
}

}  // namespace dray::cluster
