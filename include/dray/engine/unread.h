#pragma once

#include "dray/engine/write.h"
#include "dray/model/object.h"

namespace dray::engine {

// What an engine does not read need not leave the cluster: annotations of others, and the
// parameters that a claim or a class has for drivers (they may hold secrets, and dray only passes
// them on). Environment and arguments of containers are not even part of the model.

/// Takes the annotations that no rule of dray's reads off the object, and the content of opaque
/// parameters: an engine that is given the rest decides the same.
void drop_unread(KubeObject& object);
/// The same of a pod alone.
void drop_unread(Pod& pod);
/// The same of what a write carries: what an engine asks for that was given such objects.
void drop_unread(Write& write);

}  // namespace dray::engine
