#include "cluster/device_use.h"

namespace dray::cluster {

void add_use(DeviceUse& use, const AllocatedDevice& device) {
  if (device.admin_access.value_or(false)) return;
  if (!device.share_id) {
    ++use.dedicated;
    return;
  }
  ++use.shares;
  for (const auto& [name, amount] : device.consumed_capacity) {
    const auto [at, added] = use.consumed.try_emplace(name, amount);
    if (!added) at->second += amount;
    use.has_consumed = true;
  }
}

void remove_use(DeviceUse& use, const AllocatedDevice& device) {
  if (device.admin_access.value_or(false)) return;
  if (!device.share_id) {
    if (use.dedicated > 0) --use.dedicated;
    return;
  }
  if (use.shares > 0) --use.shares;
  if (use.shares == 0) {
    use.consumed.clear();
    use.has_consumed = false;
    return;
  }
  for (const auto& [name, amount] : device.consumed_capacity) {
    if (const auto at = use.consumed.find(name); at != use.consumed.end()) at->second -= amount;
  }
}

}  // namespace dray::cluster
