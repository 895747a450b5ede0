#include <algorithm>
#include <utility>

#include "dray/alloc/extended_resources.h"
#include "dray/model/pod_marks.h"
#include "engine/state.h"

// Asking for plans, and taking what comes of them by what moved since.

namespace dray::engine {
namespace {

constexpr Duration claim_patience = std::chrono::seconds(10);
/// Before a plan that could not be taken is made again: what was in its way is under way.
constexpr Duration retry_pause = std::chrono::milliseconds(100);
/// Before the same jobs are looked at again for nothing.
constexpr Duration exhausted_pause = std::chrono::seconds(1);

}  // namespace

std::vector<planner::RefusedNode> Engine::State::refused_nodes(const PodTrack& track,
                                                               Time now) const {
  std::vector<planner::RefusedNode> refused;
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

std::vector<planner::Hold> Engine::State::all_holds() const {
  std::vector<planner::Hold> all;
  for (const auto& [job, placements] : holds) all.push_back({job, placements});
  return all;
}

/// A job that was moved is back: it gets the room that was meant for it.
void Engine::State::hold_for_moved(Time now) {
  std::erase_if(moved, [&](const auto& entry) { return entry.second.until <= now; });
  if (moved.empty()) return;
  for (const auto& job : book.jobs(now)) {
    const bool waits = std::ranges::any_of(job->members, [](const planner::Member& member) {
      return member.state == planner::MemberState::waiting;
    });
    if (!waits) continue;
    auto entry = moved.extract(job->lineage);
    if (!entry.empty()) holds[job->uid] = std::move(entry.mapped().placements);
  }
}

planner::PlanBudget Engine::State::plan_budget() const {
  const auto& given = policy->config.budgets;
  planner::PlanBudget budget;
  budget.jobs = static_cast<std::size_t>(std::max(given.jobs, 1));
  budget.nodes_tried = static_cast<std::size_t>(std::max(given.nodes_tried, 1));
  budget.evictions = static_cast<std::size_t>(std::max(given.evictions, 0));
  return budget;
}

planner::PlanInput Engine::State::plan_input(Time now) {
  planner::PlanInput input;
  for (const auto& uid : std::set(blocked)) book.touch(uid);
  input.jobs = book.jobs(now);
  input.snapshot = cluster.snapshot();
  input.policy = policy;
  for (const auto& [uid, track] : tracks) {
    if (track.stage != Stage::waiting || track.passes) continue;
    std::ranges::move(refused_nodes(track, now), std::back_inserter(input.refused));
  }
  std::ranges::sort(input.refused);
  std::erase_if(holds, [this](const auto& entry) { return !book.find(entry.first); });
  hold_for_moved(now);
  input.disruption_budgets = budgets.budgets(now);
  input.holds = all_holds();
  input.leaving = leaving_claims(now);
  input.usage = usage.history();
  input.budget = plan_budget();
  input.now = now;
  return input;
}

/// Something waits, a gang may have lost members, or what runs is to be counted.
bool Engine::State::worth_planning() const {
  if (usage.history() || book.has_groups()) return true;
  return std::ranges::any_of(tracks, [](const auto& entry) {
    return entry.second.stage == Stage::waiting && !entry.second.passes;
  });
}

void Engine::State::plan_when_due(Time now) {
  while (plan_wanted && !planned_on && leading && synced) {
    plan_wanted = false;
    make_shares(now);
    if (!worth_planning()) return;
    auto input = plan_input(now);
    report_unformed(now);
    if (input.jobs.empty()) return;
    ++plan_generation;
    ++counts.plans_made;
    if (options.plan_inline) {
      take(planner.plan(input), *input.snapshot, now);
      continue;
    }
    planned_on = std::make_shared<const planner::PlanInput>(std::move(input));
    effects.emplace_back(WantPlan{plan_generation, planned_on});
  }
}

/// A planned node is as it was when it was planned on, or its devices must be chosen anew.
bool Engine::State::unmoved(const planner::JobOutcome& outcome, const cluster::Snapshot& then,
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

void Engine::State::take(const planner::Plan& plan, const cluster::Snapshot& then, Time now) {
  // Judged for all jobs before the first is taken, which moves its node.
  const auto current = cluster.snapshot();
  std::vector<bool> as_planned;
  as_planned.reserve(plan.jobs.size());
  for (const auto& job : plan.jobs) as_planned.push_back(unmoved(job, then, *current));
  usage.account(plan, now);
  counts.queues = plan.queues;
  book.set_stale(plan.stale);
  // Those whose devices are chosen anew come last, or they might choose what the plan gave others.
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      if (as_planned[i] == first) take_job(plan.jobs[i], as_planned[i], now);
    }
  }
  std::erase_if(scattered_gangs, [&](const Uid& job) { return !book.find(job); });
  replan_at = plan.again_at;
  for (const auto at : {book.next_change(), budgets.next_change()}) {
    if (at) plan_again_at(*at);
  }
  take_evictions(plan, now);
  expose(plan);
  if (!plan.exhausted) return;
  // The same plan again would end where this one did.
  const bool moved_on =
      !plan.evictions.empty() || std::ranges::any_of(plan.jobs, [](const planner::JobOutcome& job) {
        return !job.placements.empty() || !job.held.empty();
      });
  if (moved_on) {
    plan_wanted = true;
  } else {
    plan_again_at(now + exhausted_pause);
  }
}

void Engine::State::plan_again_at(Time at) {
  if (!replan_at || at < *replan_at) replan_at = at;
}

void Engine::State::take_job(const planner::JobOutcome& outcome, bool as_planned, Time now) {
  if (outcome.held.empty()) {
    holds.erase(outcome.job);
  } else {
    holds[outcome.job] = outcome.held;
  }
  if (as_planned || outcome.placements.empty()) {
    take_placements(outcome, now);
  } else {
    // Its devices are chosen anew, on the nodes that the plan chose.
    std::vector<NodeName> nodes;
    for (const auto& placement : outcome.placements) nodes.push_back(placement.node);
    book.refresh(now);
    const auto job = book.find(outcome.job);
    if (!job) return;
    const auto again = spot_plan(job, nodes, now);
    const auto found = std::ranges::find(again.jobs, outcome.job, &planner::JobOutcome::job);
    if (found == again.jobs.end() || found->placements.size() < outcome.placements.size()) {
      plan_wanted = true;
      return;
    }
    take_placements(*found, now);
  }
}

/// All members that are placed are reserved before the first is offered: they go together.
void Engine::State::take_placements(const planner::JobOutcome& outcome, Time now) {
  const auto waits = [this](const Uid& uid) {
    const auto track = tracks.find(uid);
    return track != tracks.end() && track->second.stage == Stage::waiting &&
           !evicting.contains(uid);
  };
  const bool all_wait = std::ranges::all_of(
      outcome.placements, [&](const Placement& placement) { return waits(placement.pod_uid); });
  if (!all_wait) return plan_again_at(now + retry_pause);
  for (const auto& placement : outcome.placements) {
    auto& track = tracks.at(placement.pod_uid);
    track.detail = outcome.detail;
    track.warnings = outcome.warnings;
    reserve(track, placement);
  }
  for (const auto& placement : outcome.placements) {
    const auto track = tracks.find(placement.pod_uid);
    if (track != tracks.end()) offer(track->second, now);
  }
  for (const auto& uid : outcome.pods) {
    if (!waits(uid)) continue;
    auto& track = tracks.at(uid);
    track.reason = outcome.reason;
    track.detail = outcome.detail;
    if (outcome.reason != Reason::planning) free_own_claims(track);
    // A claim that is missing is usually on its way: worth a word only if it stays away.
    if (track.reason == Reason::claim_missing) {
      if (refuse_share(track, now)) continue;
      if (!track.timer) arm(track, now + claim_patience);
      continue;
    }
    plan_when_refusals_end(track, now);
    report_waiting(track, now);
  }
}

/// Pods whose group's object is not there: a word only if it stays away.
void Engine::State::report_unformed(Time now) {
  for (const auto& [uid, why] : book.unformed()) {
    const auto found = tracks.find(uid);
    if (found == tracks.end() || found->second.stage != Stage::waiting) continue;
    auto& track = found->second;
    track.reason = why.reason;
    track.detail = why.detail;
    if (why.reason == Reason::unsupported) {
      report_waiting(track, now);
    } else if (!track.timer) {
      arm(track, now + claim_patience);
    }
  }
}

/// A claim that only this pod uses, allocated where the pod cannot go (after a crash between
/// allocation and binding, or a failed undo): it is given back, so that the pod can go elsewhere.
void Engine::State::free_own_claims(const PodTrack& track) {
  const auto pod = pod_of(track);
  if (!pod) return;
  const auto claims = planner::claims_of(*cluster.snapshot(), *pod);
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

}  // namespace dray::engine
