#pragma once

#include "dray/base/error.h"
#include "dray/model/pod.h"
#include "dray/sim/api_server.h"

namespace dray::sim {

// pkg/registry/core/pod/strategy.go and ValidatePodUpdate of Kubernetes 1.37, on the fields that
// dray's Pod has.

[[nodiscard]] Result<void> prepare_pod_create(Pod& pod, const ApiServerOptions& options, Time now);
[[nodiscard]] Result<void> prepare_pod_update(Pod& next, const Pod& old, Endpoint endpoint);

}  // namespace dray::sim
