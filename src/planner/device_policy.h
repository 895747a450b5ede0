#pragma once

#include "dray/alloc/allocator.h"
#include "dray/policy/config.h"

namespace dray::planner {

/// What a policy says of the choice of devices: levels of alignment (required ones first) and where
/// shares go. All else, and what the policy leaves open, is as in `options`.
[[nodiscard]] alloc::AllocatorOptions with_policy(alloc::AllocatorOptions options,
                                                  const policy::PolicyConfig& config);

}  // namespace dray::planner
