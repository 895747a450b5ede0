#include "dray/cluster/device_taints.h"

#include <algorithm>

namespace dray::cluster {
namespace {

/// As the allocator reads a rule: what its selector does not name, matches; without one it matches
/// nothing.
bool applies(const DeviceTaintRule& rule, const DeviceId& id) {
  return rule.has_selector && (!rule.driver || *rule.driver == id.driver) &&
         (!rule.pool || *rule.pool == id.pool) && (!rule.device || *rule.device == id.device);
}

}  // namespace

bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

std::vector<const DeviceTaint*> taints_of(const Snapshot& snapshot, const DeviceId& id,
                                          const DeviceTraits& traits) {
  std::vector<const DeviceTaint*> taints;
  const auto add = [&](const DeviceTaint& taint) {
    if (taint.effect != "None") taints.push_back(&taint);
  };
  std::ranges::for_each(traits.taints, add);
  for (const auto& rule : snapshot.taint_rules()) {
    if (applies(*rule, id)) add(rule->taint);
  }
  return taints;
}

}  // namespace dray::cluster
