#pragma once

#include <cstdint>
#include <functional>
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
  std::uint64_t generation = 0;                     ///< of that plan
};

/// Tells a new engine all of these objects, with the claims that it would make for parts of
/// devices, and the policy (null: none is in force). An Error says why that policy cannot be used
/// with them.
[[nodiscard]] Result<AtOnce> at_once(std::span<const KubeObject> objects,
                                     std::shared_ptr<const policy::PolicyConfig> config,
                                     const Options& options, Time now);

/// A plan that an engine asked for, and what was planned.
struct PlanMade {
  std::shared_ptr<const planner::PlanInput> input;
  std::shared_ptr<const planner::Plan> plan;
};
/// The plans that an engine makes of a cluster that nobody else changes, in which what is written
/// never happens: until one is not ended by a budget, or they have looked at every job since one of
/// them decided something, or `most`.
[[nodiscard]] Result<std::vector<PlanMade>> plans_in_a_row(
    std::span<const KubeObject> objects, std::shared_ptr<const policy::PolicyConfig> config,
    Options options, Time now, std::size_t most,
    const std::function<planner::Plan(const planner::PlanInput&)>& make);

}  // namespace dray::engine
