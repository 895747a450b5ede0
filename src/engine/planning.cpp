#include <algorithm>
#include <memory>
#include <utility>

#include "engine/router.h"

// Asking for plans, and taking what comes of them by what moved since.

namespace dray::engine {
namespace {

/// Jobs of one plan whose devices are chosen anew: each is a plan on the strand. The next plan has
/// the others.
constexpr std::size_t most_chosen_anew = 8;

}  // namespace

void Engine::Router::plan_when_due(Time now) {
  while (standing_.leading && standing_.synced && plans_.take_turn(now)) {
    carry(shares_.tick(now), now);
    if (!inputs().worth_planning()) return;
    auto input = inputs().of_all(now);
    input.progress = plans_.progress();
    admission_.jobs().unformed().begin_telling(now);
    report_unformed(now);
    if (input.jobs.empty()) return;
    const auto generation = plans_.begin(now);
    if (options_.plan_inline) {
      take(std::make_shared<const planner::Plan>(judging_.planner.plan(input)), *input.snapshot,
           now);
      continue;
    }
    const auto shared = std::make_shared<const planner::PlanInput>(std::move(input));
    plans_.under_way(shared);
    out_.want_plan(generation, shared);
    // Until it is back: what a pod that is asked for has to be planned by.
    if (cluster_.nodes_by_name().size() > PlanCycle::slice_pods) judging_.ahead_since = now;
  }
}

void Engine::Router::on(const Planned& planned, Time now) {
  const auto input = plans_.step(planned);
  if (!input) return;
  // By other rules than those in force: neither its placements nor its evictions are to happen.
  if (input->policy != admission_.policy() &&
      (!input->policy || input->policy->config != admission_.policy()->config)) {
    return plans_.want();
  }
  take(planned.plan, *input->snapshot, now);
}

/// Whether the queue, or one that shares a limit with it, has got a pod that the plan did not know.
bool Engine::Router::queue_moved(const Uid& job) const {
  const auto& moved = plans_.moved_queues();
  if (moved.empty() || admission_.open()) return false;
  const auto found = admission_.jobs().find(job);
  if (!found) return false;
  const auto& queues = admission_.policy()->queues;
  const auto top = [&queues](const policy::QueueName& name) {
    const auto index = queues.find(name.get());
    return index ? std::optional(queues.path_to(*index).front()) : std::nullopt;
  };
  return std::ranges::any_of(
      moved, [&](const policy::QueueName& name) { return top(name) == top(found->queue); });
}

void Engine::Router::take(const std::shared_ptr<const planner::Plan>& made,
                          const cluster::Snapshot& then, Time now) {
  const auto& plan = *made;
  const auto get_nothing = std::ranges::find_if_not(plan.jobs, planner::gets_something);
  const std::span outcomes(plan.jobs.begin(), get_nothing);
  // Judged for all jobs before the first is taken, which moves its node.
  const auto current = cluster_.snapshot();
  std::vector<bool> as_planned;
  as_planned.reserve(outcomes.size());
  for (const auto& job : outcomes) {
    as_planned.push_back(unmoved(job, then, *current) && !queue_moved(job.job));
  }
  usage_.account(plan, now);
  auto& jobs = admission_.jobs();
  jobs.set_stale(plan.stale);
  room_.keep(plan.kept);
  // Before it is taken: what that asks for comes on top.
  plans_.taken(plan, jobs.next_change(), admission_.budgets().next_change(), now);
  // Those whose devices are chosen anew come last, or they might choose what the plan gave others.
  std::size_t anew = 0;
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (as_planned[i] != first) continue;
      const bool choose = !first && !outcomes[i].placements.empty();
      if (choose && ++anew > most_chosen_anew) {
        plans_.want();
      } else {
        take_job(outcomes[i], as_planned[i], now);
      }
    }
  }
  plans_.leave_rest(made, outcomes.size(), now);
  if (outcomes.empty()) take_rest(now);
  carry(pods_.offer_due(now), now);
  gangs_.forget_jobs([&](const Uid& job) { return jobs.find(job) != nullptr; });
  take_evictions(plan, now);
  expose(plan, now);
  settle_requests(now);
  plans_.go_on_after(plan, now);
}

/// What would take too long in one step goes on.
void Engine::Router::take_slices(Time now) {
  take_rest(now);
  report_unformed(now);
  if (!judging_.ahead_since) return;
  const bool more =
      standing_.leading && inputs().read_ahead(judging_.planner, PlanCycle::slice_pods, now);
  if (!more) judging_.ahead_since.reset();
}

/// Those that get nothing are told so, some of them.
void Engine::Router::take_rest(Time now) {
  if (!plans_.has_rest()) return;
  for (const auto& outcome : plans_.take_slice()) take_job(outcome, true, now);
  plans_.slice_taken();
}

void Engine::Router::take_job(const planner::JobOutcome& outcome, bool as_planned, Time now) {
  room_.hold(outcome.job, outcome.held);
  if (as_planned || outcome.placements.empty()) return take_placements(outcome, now);
  // Its devices are chosen anew, on the nodes that the plan chose.
  std::vector<NodeName> nodes;
  nodes.reserve(outcome.placements.size());
  for (const auto& placement : outcome.placements) nodes.push_back(placement.node);
  admission_.jobs().refresh(now);
  const auto job = admission_.jobs().find(outcome.job);
  if (!job) return;
  const auto again =
      judging_.planner.plan(inputs().of_one(job, nodes, options_.inline_plan_nodes, now));
  const auto found = std::ranges::find(again.jobs, outcome.job, &planner::JobOutcome::job);
  if (found == again.jobs.end() || found->placements.size() < outcome.placements.size()) {
    return plans_.want();
  }
  take_placements(*found, now);
}

/// All members that are placed are reserved before the first is offered: they go together.
void Engine::Router::take_placements(const planner::JobOutcome& outcome, Time now) {
  const auto waits = [this](const Uid& uid) {
    return pods_.waits(uid) && !evictions_.evicting(uid);
  };
  const bool all_wait = std::ranges::all_of(
      outcome.placements, [&](const Placement& placement) { return waits(placement.pod_uid); });
  if (!all_wait) return plans_.want_at(now + PlanCycle::retry_pause);
  for (const auto& placement : outcome.placements) {
    carry(pods_.reserve(placement, outcome.detail, outcome.warnings), now);
  }
  std::vector<Uid> placed;
  placed.reserve(outcome.placements.size());
  for (const auto& placement : outcome.placements) placed.push_back(placement.pod_uid);
  if (!placed.empty()) pods_.offer_in_turn(std::move(placed));
  for (const auto& uid : outcome.pods) {
    if (waits(uid)) take_unplaced(outcome, uid, now);
  }
}

void Engine::Router::take_unplaced(const planner::JobOutcome& outcome, const Uid& uid, Time now) {
  const auto pod = pods_.object(*pods_.find(uid));
  if (outcome.reason != Reason::planning && pod) {
    if (allocates()) {
      carry(upkeep_.releases.start(*pod), now);
    } else {
      unpin(*pod, now);
    }
  }
  if (outcome.reason != Reason::claim_missing) {
    return carry(pods_.waits_for_room(uid, outcome.reason, outcome.detail, now), now);
  }
  if (const auto* refusal = shares_.refusal(uid)) {
    return carry(pods_.waits(uid, Reason::unsupported, *refusal, false, now), now);
  }
  pods_.waits_quietly(uid, outcome.reason, outcome.detail, now);
}

/// Pods whose group's object is not there, some of them: a word only if it stays away.
void Engine::Router::report_unformed(Time now) {
  auto& unformed = admission_.jobs().unformed();
  for (const auto& [uid, why] : unformed.take_told(PlanCycle::slice_pods)) {
    if (!pods_.waits(uid)) continue;
    if (why.reason == Reason::unsupported || why.reason == Reason::queue_missing) {
      carry(pods_.waits(uid, why.reason, why.detail, false, now), now);
    } else {
      pods_.waits_quietly(uid, why.reason, why.detail, now);
    }
  }
}

/// Plans one pod now, on `nodes` only, and reserves what it finds.
void Engine::Router::plan_inline(const Uid& pod, const std::vector<NodeName>& nodes, Time now) {
  pods_.set_reason(pod, Reason::planning);
  admission_.jobs().refresh(now);
  const auto job = admission_.jobs().job_of(pod);
  if (!job) return;
  // Nobody's members are placed one by one: the gang's plan is on its way.
  if (job->members.size() > 1) return plans_.want();
  if (job->members.front().state != planner::MemberState::waiting) return;
  // Freed room belongs to the first job in order, and only the pending plan knows which one that
  // is.
  if (plans_.pending() && admission_.jobs().queue_counts().waits_above(job->queue, job->priority)) {
    return plans_.want();
  }
  const auto made =
      judging_.planner.plan(inputs().of_one(job, nodes, options_.inline_plan_nodes, now));
  if (made.exhausted) plans_.want();
  const auto outcome = std::ranges::find(made.jobs, job->uid, &planner::JobOutcome::job);
  if (outcome == made.jobs.end()) return;
  if (!outcome->placements.empty()) {
    plans_.placed_inline(job->queue);
    return carry(pods_.reserve(outcome->placements.front(), outcome->detail, outcome->warnings),
                 now);
  }
  pods_.set_detail(pod, outcome->detail);
  if (outcome->reason != Reason::none) pods_.set_reason(pod, outcome->reason);
}

}  // namespace dray::engine
