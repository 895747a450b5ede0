#pragma once

#include <span>
#include <string>

#include "dray/model/pod.h"
#include "dray/policy/config.h"

namespace dray::engine {

/// The queue that a pod by itself belongs to, by the policy's podQueues; empty: none. A label of
/// its `owners`, the topmost first, counts before the pod's own, as in KAI.
[[nodiscard]] std::string queue_of(const policy::PodQueues& rules, const Pod& pod,
                                   std::span<const Labels* const> owners = {});

}  // namespace dray::engine
