#include "dray/engine/at_once.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "dray/planner/what_if.h"

namespace dray::engine {
namespace {

/// Rounds of timers that an engine is given before it has asked for its plan: readmission, say.
constexpr int most_ticks = 100;

std::shared_ptr<const planner::PlanInput> asked_for(const Effects& effects) {
  for (const auto& effect : effects) {
    if (const auto* want = std::get_if<WantPlan>(&effect)) return want->input;
  }
  return nullptr;
}

}  // namespace

std::vector<KubeObject> with_claims(std::vector<KubeObject> objects) {
  cluster::ClusterState templates;
  for (const auto& object : objects) {
    if (kind_of(object) != Kind::resource_claim_template) continue;
    templates.apply(cluster::ObjectChanged{object});
  }
  std::vector<KubeObject> made;
  for (auto& object : objects) {
    auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || pod->finished()) continue;
    std::ranges::move(planner::WhatIf::claims_for(*pod, templates), std::back_inserter(made));
  }
  std::ranges::move(made, std::back_inserter(objects));
  return objects;
}

Result<AtOnce> at_once(std::span<const KubeObject> objects,
                       std::shared_ptr<const policy::PolicyConfig> config, const Options& options,
                       Time now) {
  AtOnce made{.engine = std::make_unique<Engine>(options), .input = nullptr};
  auto& engine = *made.engine;
  const auto take = [&](const Effects& effects) {
    if (auto asked = asked_for(effects)) made.input = std::move(asked);
  };
  if (config) take(engine.apply(PolicyChanged{std::move(config)}, now));
  for (const auto& object : objects) take(engine.apply(cluster::ObjectChanged{object}, now));
  take(engine.apply(Synced{}, now));
  take(engine.apply(LeadershipChanged{true, 1}, now));
  for (int i = 0; !made.input && i < most_ticks && engine.next_tick(); ++i) {
    take(engine.tick(std::max(now, *engine.next_tick())));
  }
  if (const auto problem = engine.status().policy_problem; !problem.empty()) {
    return fail(ErrorCode::invalid, problem);
  }
  return made;
}

}  // namespace dray::engine
