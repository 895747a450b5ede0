#include <algorithm>
#include <utility>

#include "dray/alloc/extended_resources.h"
#include "engine/pod_marks.h"
#include "engine/state.h"

// Asking for plans, and taking what comes of them by what moved since.

namespace dray::engine {
namespace {

constexpr Duration claim_patience = std::chrono::seconds(10);

}  // namespace

Job Engine::State::waiting_job(std::shared_ptr<const Pod> pod, Time now) {
  const auto queued = pod->meta.created.value_or(now);
  return single_pod_job(std::move(pod), policy::QueueName(std::string(policy::default_queue)),
                        queued);
}

std::vector<RefusedNode> Engine::State::refused_nodes(const PodTrack& track, Time now) const {
  std::vector<RefusedNode> refused;
  for (const auto& [node, refusal] : track.refused) {
    const auto* facts = cluster.find_node(node);
    if (facts == nullptr || now >= refusal.until) continue;
    if (facts->resource_version == refusal.node_version) refused.push_back({track.uid, node});
  }
  return refused;
}

/// Nothing else would tell that a refused node may be tried again.
void Engine::State::plan_when_refusals_end(PodTrack& track, Time now) {
  std::erase_if(track.refused, [&](const auto& entry) { return entry.second.until <= now; });
  std::optional<Time> first;
  for (const auto& [node, refusal] : track.refused) {
    if (!first || refusal.until < *first) first = refusal.until;
  }
  arm(track, first);
}

PlanInput Engine::State::plan_input(Time now) const {
  PlanInput input;
  input.now = now;
  for (const auto& [uid, track] : tracks) {
    if (track.stage != Stage::waiting || track.passes) continue;
    auto pod = pod_of(track);
    if (!pod || pod->meta.deleted) continue;
    const bool foreign_gate = std::ranges::any_of(
        pod->scheduling_gates, [&](const auto& gate) { return gate != options.gate; });
    if (foreign_gate) continue;
    std::ranges::move(refused_nodes(track, now), std::back_inserter(input.refused));
    auto job = waiting_job(std::move(pod), now);
    job.promised = job.first().meta.annotations.contains(reservation_annotation);
    input.jobs.push_back(std::make_shared<const Job>(std::move(job)));
  }
  std::ranges::sort(input.refused);
  return input;
}

void Engine::State::plan_when_due(Time now) {
  while (plan_wanted && !planned_on && leading && synced) {
    plan_wanted = false;
    auto input = plan_input(now);
    if (input.jobs.empty()) return;
    input.snapshot = cluster.snapshot();
    ++plan_generation;
    ++counts.plans_made;
    if (options.plan_inline) {
      take(planner.plan(input), *input.snapshot, now);
      continue;
    }
    planned_on = std::make_shared<const PlanInput>(std::move(input));
    effects.emplace_back(WantPlan{plan_generation, planned_on});
  }
}

/// A planned node is as it was when it was planned on, or its devices must be chosen anew.
bool Engine::State::unmoved(const JobOutcome& outcome, const cluster::Snapshot& then,
                            const cluster::Snapshot& current) {
  if (then.generation() == current.generation()) return true;
  // Pools that many nodes see have no part in a node's version.
  if (then.device_epoch() != current.device_epoch() || !current.shared_pools().empty())
    return false;
  return std::ranges::all_of(outcome.placements, [&](const Placement& placement) {
    const auto before = then.node(placement.node);
    const auto after = current.node(placement.node);
    if (!before || before != after) return false;
    if (then.entry(*before).version != current.entry(*after).version) return false;
    return std::ranges::all_of(placement.claims, [&](const ClaimPlacement& part) {
      return then.claim(part.claim) == current.claim(part.claim);
    });
  });
}

void Engine::State::take(const Plan& plan, const cluster::Snapshot& then, Time now) {
  // Judged for all jobs before the first is taken, which moves its node.
  const auto current = cluster.snapshot();
  std::vector<bool> as_planned;
  as_planned.reserve(plan.jobs.size());
  for (const auto& job : plan.jobs) as_planned.push_back(unmoved(job, then, *current));
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) take_job(plan.jobs[i], as_planned[i], now);
  if (plan.exhausted) plan_wanted = true;
}

void Engine::State::take_job(const JobOutcome& outcome, bool as_planned, Time now) {
  const auto found = tracks.find(outcome.pods.front());
  if (found == tracks.end() || found->second.stage != Stage::waiting) return;
  auto& track = found->second;
  if (outcome.placements.empty()) {
    track.reason = outcome.reason;
    track.detail = outcome.detail;
    if (outcome.reason != Reason::planning) free_own_claims(track);
    // A claim that is missing is usually on its way: worth a word only if it stays away.
    if (track.reason == Reason::claim_missing) {
      if (!track.timer) arm(track, now + claim_patience);
      return;
    }
    plan_when_refusals_end(track, now);
    return report_waiting(track, now);
  }
  const auto& placement = outcome.placements.front();
  if (as_planned) {
    track.detail = outcome.detail;
    track.warnings = outcome.warnings;
    reserve(track, placement);
  } else {
    plan_on_the_spot(track, {placement.node}, now);
    if (!track.reservation) plan_wanted = true;
  }
  if (track.reservation) offer(track, now);
}

/// A claim that only this pod uses, allocated where the pod cannot go (after a crash between
/// allocation and binding, or a failed undo): it is given back, so that the pod can go elsewhere.
void Engine::State::free_own_claims(const PodTrack& track) {
  const auto pod = pod_of(track);
  if (!pod) return;
  const auto claims = claims_of(*cluster.snapshot(), *pod);
  if (!claims) return;
  for (const auto& claim : *claims) {
    const bool ours_alone = claim->allocation && claim->reserved_for.size() == 1 &&
                            claim->reserved_for.front().uid == track.uid;
    if (!ours_alone || !releasing.insert(claim->key()).second) continue;
    send(ReleaseClaim{claim->key(), claim->meta.uid, track.uid, true}, ForRelease{claim->key()});
  }
  // The claim for extended resources suits one node's offer; it is made anew for another.
  const auto extended = cluster.claim(alloc::extended_resource_claim_key(*pod));
  if (!extended || extended->meta.deleted ||
      !alloc::is_extended_resource_claim(*extended, track.uid) ||
      !releasing.insert(extended->key()).second) {
    return;
  }
  if (extended->allocation) {
    send(ReleaseClaim{extended->key(), extended->meta.uid, track.uid, true},
         ForRelease{extended->key()});
  } else {
    send(DeleteClaim{extended->key(), extended->meta.uid}, ForRelease{extended->key()});
  }
}

void Engine::State::plan_on_the_spot(PodTrack& track, const std::vector<NodeName>& nodes,
                                     Time now) {
  const auto pod = pod_of(track);
  if (!pod) {
    track.reason = Reason::planning;
    return;
  }
  PlanInput input;
  input.snapshot = cluster.snapshot();
  input.jobs.push_back(std::make_shared<const Job>(waiting_job(pod, now)));
  input.refused = refused_nodes(track, now);
  input.only = nodes;
  input.budget.nodes_tried = options.spot_plan_nodes;
  input.now = now;
  const auto made = planner.plan(input);
  const auto& outcome = made.jobs.front();
  track.detail = outcome.detail;
  track.warnings = outcome.warnings;
  if (!outcome.placements.empty()) return reserve(track, outcome.placements.front());
  track.reason = outcome.reason;
  if (made.exhausted) plan_wanted = true;
}

}  // namespace dray::engine
