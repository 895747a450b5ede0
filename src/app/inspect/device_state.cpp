#include "app/inspect/device_state.h"

#include <algorithm>
#include <utility>

#include "dray/model/device.h"

namespace dray::app {

DeviceState state_of(const dashboard::NodeDevice& device) {
  if (device.use.dedicated > 0) return DeviceState::in_use;
  if (!device.use.none()) return DeviceState::shared;
  const bool kept_off = std::ranges::any_of(device.taints, [](const DeviceTaint* taint) {
    return taint->effect == "NoSchedule" || taint->effect == "NoExecute";
  });
  if (kept_off) return DeviceState::tainted;
  return device.blocked_by == nullptr ? DeviceState::free : DeviceState::blocked;
}

std::string_view word(DeviceState state) {
  switch (state) {
    case DeviceState::free:
      return "free";
    case DeviceState::in_use:
      return "in-use";
    case DeviceState::shared:
      return "shared";
    case DeviceState::tainted:
      return "tainted";
    case DeviceState::blocked:
      return "blocked";
  }
  std::unreachable();
}

}  // namespace dray::app
