#pragma once

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "dray/sim/api_server.h"

namespace dray::sim {

// What the real server's strategies do to an object before it is stored, and what they refuse
// (k8s.io/kubernetes pkg/registry and pkg/apis/*/validation, 1.37).

/// Before a creation: status is emptied, admission mutates, then it is validated.
[[nodiscard]] Result<void> prepare_create(KubeObject& object, const ApiServerOptions& options,
                                          Time now);

/// Before an update through `endpoint`: what it may not touch is put back, then the change is
/// validated. (The resourceVersion was checked before.)
[[nodiscard]] Result<void> prepare_update(KubeObject& next, const KubeObject& old,
                                          Endpoint endpoint);

/// Before either: the API's defaults for the times of device taints, the only ones that it takes
/// from a clock. `old`: what is there, if anything.
void default_taint_times(KubeObject& object, const KubeObject* old, Time now);

/// Whether a PUT may come without a resourceVersion, and whether it may create.
[[nodiscard]] bool allows_unconditional_update(Kind kind);
[[nodiscard]] bool allows_create_on_update(Kind kind);

}  // namespace dray::sim
