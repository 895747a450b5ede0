#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dray/base/error.h"
#include "dray/engine/engine.h"
#include "dray/model/object.h"
#include "dray/policy/config.h"

namespace dray::engine {

/// The objects and the claims that pods' templates make and nobody has made yet, as in manifests.
[[nodiscard]] std::vector<KubeObject> with_claims(std::vector<KubeObject> objects);

/// An engine that knows a cluster as it stands and leads, at the moment when it asks for its first
/// plan. What it would write goes nowhere.
struct AtOnce {
  std::unique_ptr<Engine> engine;
  std::shared_ptr<const planner::PlanInput> input;  ///< of that plan; null: nobody waits
};

/// Tells a new engine all of these objects, with the claims that it would make for parts of
/// devices, and the policy (null: none is in force). An Error says why that policy cannot be used
/// with them.
[[nodiscard]] Result<AtOnce> at_once(std::span<const KubeObject> objects,
                                     std::shared_ptr<const policy::PolicyConfig> config,
                                     const Options& options, Time now);

}  // namespace dray::engine
