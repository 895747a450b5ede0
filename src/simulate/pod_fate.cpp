#include "dray/simulate/pod_fate.h"

#include <utility>

#include "dray/engine/at_once.h"
#include "dray/planner/job.h"

namespace dray::simulate {
namespace {

/// Pods that wait or run, before the plan.
Fates before(const planner::PlanInput& input) {
  Fates fates;
  for (const auto& job : input.jobs) {
    for (const auto& member : job->members) {
      if (member.state == planner::MemberState::done) continue;
      auto& fate = fates[member.pod->meta.uid];
      fate.job = job;
      if (planner::has_room(member.state)) {
        fate.fate = Fate::runs;
        if (member.node) fate.node = member.node->get();
      } else if (member.state == planner::MemberState::blocked) {
        fate.why = "a claim of it is missing, or another's gate keeps it";
      }
    }
  }
  return fates;
}

void put(Fates& fates, const Placement& placement, Fate fate) {
  auto& pod = fates[placement.pod_uid];
  pod.fate = fate;
  pod.node = placement.node.get();
  pod.devices.clear();
  for (const auto& claim : placement.claims) {
    for (const auto& each : claim.allocation.devices) pod.devices.push_back(each.device);
  }
}

void take_outcome(Fates& fates, const planner::JobOutcome& outcome) {
  for (const auto& uid : outcome.pods) {
    auto& pod = fates[uid];
    pod.reason = outcome.reason;
    pod.why = plain_text(outcome.reason);
    if (!outcome.detail.empty()) pod.why += ": " + outcome.detail;
  }
  for (const auto& placement : outcome.held) put(fates, placement, Fate::gets_room);
  for (const auto& placement : outcome.placements) put(fates, placement, Fate::starts);
}

void take_eviction(Fates& fates, const planner::Eviction& eviction,
                   const planner::PlanInput& input) {
  const auto taker = eviction.beneficiary ? input.jobs.find(*eviction.beneficiary) : nullptr;
  auto why = std::string(name(eviction.cause));
  if (taker) why += " for " + taker->name;
  if (!eviction.detail.empty()) why += ": " + eviction.detail;
  for (const auto& uid : eviction.pods) {
    fates[uid].fate = Fate::evicted;
    fates[uid].why = why;
  }
  for (const auto& placement : eviction.moved) put(fates, placement, Fate::moves);
}

/// No cluster needs so many: with a budget of one job, that many jobs.
constexpr std::size_t most_plans_in_a_row = 10'000;

/// What a later plan decided of the job.
void add(planner::JobOutcome& before, const planner::JobOutcome& later) {
  before.placements.insert(before.placements.end(), later.placements.begin(),
                           later.placements.end());
  before.held = later.held;
  before.reason = later.reason;
  before.detail = later.detail;
}

}  // namespace

Fates fates_of(const Decided& decided) {
  auto fates = before(decided.input);
  for (const auto& outcome : decided.plan.jobs) take_outcome(fates, outcome);
  for (const auto& eviction : decided.plan.evictions) {
    take_eviction(fates, eviction, decided.input);
  }
  return fates;
}

Result<Decided> decide_at_once(const std::vector<KubeObject>& objects,
                               std::shared_ptr<const policy::PolicyConfig> config,
                               const engine::Options& options, Time now,
                               const planner::PlanBudget& budget) {
  const auto told = engine::at_once(objects, std::move(config), options, now);
  if (!told) return std::unexpected(told.error());
  if (!told->input) return Decided();  // nobody waits
  Decided decided{*told->input, {}};
  decided.input.budget = budget;
  planner::Planner planner(engine::allocator_options(options, 2));
  decided.plan = planner.plan(decided.input);
  return decided;
}

Result<DecidedInPlans> decide_in_plans(const std::vector<KubeObject>& objects,
                                       std::shared_ptr<const policy::PolicyConfig> config,
                                       const engine::Options& options, Time now) {
  planner::Planner planner(engine::allocator_options(options, 2));
  const auto made =
      engine::plans_in_a_row(objects, std::move(config), options, now, most_plans_in_a_row,
                             [&](const planner::PlanInput& input) { return planner.plan(input); });
  if (!made) return std::unexpected(made.error());
  DecidedInPlans all;
  all.plans = made->size();
  if (made->empty()) return all;  // nobody waits
  all.decided.input = *made->front().input;
  std::map<Uid, std::size_t> places;
  for (const auto& [input, plan] : *made) {
    for (const auto kind : plan->ended_by) ++all.ended_by[kind];
    auto& evictions = all.decided.plan.evictions;
    evictions.insert(evictions.end(), plan->evictions.begin(), plan->evictions.end());
    for (const auto& outcome : plan->jobs) {
      auto& jobs = all.decided.plan.jobs;
      const auto [at, fresh] = places.try_emplace(outcome.job, jobs.size());
      if (fresh) {
        jobs.push_back(outcome);
      } else {
        add(jobs[at->second], outcome);
      }
    }
  }
  return all;
}

}  // namespace dray::simulate
