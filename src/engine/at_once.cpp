#include "dray/engine/at_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

#include "dray/engine/share_claim.h"
#include "dray/planner/what_if.h"

namespace dray::engine {
namespace {

/// Rounds of timers that an engine is given before it has asked for its plan: readmission, say.
constexpr int most_ticks = 100;

/// Null: no plan.
const WantPlan* asked_for(const Effects& effects) {
  for (const auto& effect : effects) {
    if (const auto* want = std::get_if<WantPlan>(&effect)) return want;
  }
  return nullptr;
}

/// A pod that waits for a claim that dray makes for it, of parts of devices.
bool lacks_share_claim(const Pod& pod) {
  return has_share_entry(pod) && !pod.node_name && !pod.finished() &&
         std::ranges::none_of(pod.resource_claim_statuses,
                              [](const auto& status) { return status.name == share_entry; });
}

/// The claims that dray makes first for pods that ask for parts of devices, each behind its pod,
/// which names it by then. Where it can make none, the engine says why.
std::vector<KubeObject> share_claims(std::span<const KubeObject> objects,
                                     const policy::Fractions& rule) {
  std::vector<Pod> pods;
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod != nullptr && lacks_share_claim(*pod)) pods.push_back(*pod);
  }
  std::vector<KubeObject> made;
  if (pods.empty()) return made;
  cluster::ClusterState devices;
  for (const auto& object : objects) {
    if (kind_of(object) == Kind::pod || kind_of(object) == Kind::resource_claim) continue;
    devices.apply(cluster::ObjectChanged{object});
  }
  const auto offers = share_offers(*devices.snapshot(), rule);
  for (auto& pod : pods) {
    auto claim = share_claim(pod, rule, offers);
    if (!claim) continue;
    claim->meta.uid = Uid(fmt::format("claim-{}-{}", claim->meta.namespace_name, claim->meta.name));
    claim->meta.created = pod.meta.created;
    pod.resource_claim_statuses.push_back({share_entry, claim->meta.name});
    made.emplace_back(*std::move(claim));
    made.emplace_back(std::move(pod));
  }
  return made;
}

/// Whether plans have looked at every job since one of them decided something. `moved`: the number
/// of that one, which is brought up to the plan.
bool round_is_over(const planner::Plan& plan, std::uint64_t& moved) {
  const auto* progress = plan.progress.get();
  if (progress == nullptr) return true;
  const bool moves =
      !plan.evictions.empty() || std::ranges::any_of(plan.jobs, planner::gets_something);
  if (moves) moved = progress->plan;
  return std::ranges::all_of(progress->looks, [moved](const planner::Progress::Look& look) {
    return look.looked && look.plan > moved;
  });
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
    if (const auto* asked = asked_for(effects)) {
      made.input = asked->input;
      made.generation = asked->generation;
    }
  };
  const auto claims = config && config->fractions ? share_claims(objects, *config->fractions)
                                                  : std::vector<KubeObject>();
  if (config) take(engine.apply(PolicyChanged{std::move(config)}, now));
  for (const auto& object : objects) take(engine.apply(cluster::ObjectChanged{object}, now));
  for (const auto& object : claims) take(engine.apply(cluster::ObjectChanged{object}, now));
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

Result<std::vector<PlanMade>> plans_in_a_row(
    std::span<const KubeObject> objects, std::shared_ptr<const policy::PolicyConfig> config,
    Options options, Time now, std::size_t most,
    const std::function<planner::Plan(const planner::PlanInput&)>& make) {
  // What is reserved stays so: nobody comes for it.
  options.reservation_life = std::chrono::hours(24 * 365);
  auto first = at_once(objects, std::move(config), options, now);
  if (!first) return std::unexpected(std::move(first.error()));
  auto& engine = *first->engine;
  std::vector<PlanMade> plans;
  WantPlan want{.generation = first->generation, .input = first->input};
  std::uint64_t moved = 0;  // the number of the last plan that decided something
  while (want.input && plans.size() < most) {
    const auto plan = std::make_shared<const planner::Plan>(make(*want.input));
    plans.push_back({.input = want.input, .plan = plan});
    want.input = nullptr;
    if (!plan->exhausted || round_is_over(*plan, moved)) break;
    const auto effects = engine.apply(Planned{want.generation, plan}, now);
    if (const auto* next = asked_for(effects)) want = *next;
    const auto end = now + std::chrono::minutes(1);
    while (!want.input && engine.next_tick() && *engine.next_tick() <= end) {
      now = std::max(now, *engine.next_tick());
      const auto more = engine.tick(now);
      if (const auto* next = asked_for(more)) want = *next;
    }
  }
  return plans;
}

}  // namespace dray::engine
