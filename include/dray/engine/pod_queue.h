#pragma once

#include <string>

#include "dray/model/pod.h"
#include "dray/policy/config.h"

namespace dray::engine {

/// The queue that a pod by itself belongs to, by the policy's podQueues; empty: none.
[[nodiscard]] std::string queue_of(const policy::PodQueues& rules, const Pod& pod);

}  // namespace dray::engine
