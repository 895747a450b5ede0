#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/model/placement.h"
#include "dray/policy/capacity.h"
#include "dray/policy/policy.h"

namespace dray::planner {

/// At most so many names, then how many more: `a, b and 3 more`.
[[nodiscard]] std::string some_of(std::span<const std::string> names, std::size_t most);

/// `queue research holds 4 of its limit of 4 GPUs, and the job asks for 2 more`.
[[nodiscard]] std::string capacity_text(const policy::CapacityRefusal& refusal,
                                        const policy::Policy& policy);

/// `request: driver/pool/device`, for each.
[[nodiscard]] std::vector<std::string> device_lines(const AllocationResult& allocation);
[[nodiscard]] std::vector<std::string> device_lines(const Placement& placement);

}  // namespace dray::planner
