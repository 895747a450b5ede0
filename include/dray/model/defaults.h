#pragma once

#include "dray/model/object.h"

namespace dray {

/// What the API server fills in when an object is created (pkg/apis/*/v1/defaults.go, as far as
/// dray reads it), for objects that come from files: allocation mode and count, the namespace, a
/// pod's scheduler, phase, and requests from limits.
void apply_defaults(ClaimSpec& spec);
/// The API server's defaults for a pod: scheduler, phase, requests from limits.
void apply_defaults(Pod& pod);
/// The same for an object of whatever kind, and its namespace.
void apply_defaults(KubeObject& object);

}  // namespace dray
