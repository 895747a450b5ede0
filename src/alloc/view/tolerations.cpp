#include "alloc/view/tolerations.h"

#include <algorithm>

#include "dray/cluster/device_taints.h"

namespace dray::alloc {

bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint) {
  return cluster::tolerates(toleration, taint);
}

bool blocks(const DeviceTaint& taint, std::span<const DeviceToleration> tolerations) {
  if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return false;
  return std::ranges::none_of(tolerations,
                              [&](const auto& toleration) { return tolerates(toleration, taint); });
}

bool applies(const DeviceTaintRule& rule, const DriverName& driver, const PoolName& pool,
             const std::string& device, bool bare_rules_apply) {
  if (!rule.has_selector) return bare_rules_apply;
  if (rule.driver && *rule.driver != driver) return false;
  if (rule.pool && *rule.pool != pool) return false;
  return !rule.device || rule.device->get() == device;
}

}  // namespace dray::alloc
