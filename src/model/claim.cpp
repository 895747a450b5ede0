#include "dray/model/claim.h"

#include <algorithm>

namespace dray {

bool same_devices(const AllocationResult& a, const AllocationResult& b) {
  return std::ranges::equal(a.devices, b.devices, [](const auto& x, const auto& y) {
    return x.request == y.request && x.device == y.device && x.share_id == y.share_id;
  });
}

}  // namespace dray
