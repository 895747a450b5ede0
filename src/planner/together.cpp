#include "dray/planner/together.h"

#include <cstddef>

#include "planner/device_policy.h"
#include "planner/place/device_words.h"

namespace dray::planner {

Together together(const cluster::Snapshot& snapshot, const Placement& placement,
                  const policy::PolicyConfig& config) {
  std::size_t devices = 0;
  for (const auto& claim : placement.claims) devices += claim.allocation.devices.size();
  if (devices < 2) return Together::alone;
  const auto options = with_policy({}, config);
  const bool are = !together_text(snapshot, placement, options.alignment).empty();
  return are ? Together::together : Together::apart;
}

}  // namespace dray::planner
