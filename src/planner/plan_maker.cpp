#include "planner/plan_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dray/policy/fair_share.h"
#include "planner/device_policy.h"

namespace dray::planner {

using policy::TaskState;

void PlanMemory::follow(const policy::PolicyConfig& config) {
  auto options = allocator.options();  // with the state of its share ids
  options.alignment = alignment;
  options.shares = shares;
  options = with_policy(std::move(options), config);
  const auto& now = allocator.options();
  if (options.alignment == now.alignment && options.shares == now.shares) return;
  allocator = alloc::Allocator(std::move(options));
}

namespace {

/// `the fullest with room (of 12 nodes)`.
std::string words_for(const Placed& placed) {
  if (placed.among == 0) return std::string(placed.why);
  if (placed.among == 1) return "the only node";
  return fmt::format("{} (of {} nodes)", placed.why, placed.among);
}

}  // namespace

PlanStart start_plan(const PlanInput& input, const policy::Policy& policy, PlanMemory& state) {
  const auto& snapshot = *input.snapshot;
  if (state.verdicts_of != &policy || state.origin != snapshot.origin() ||
      state.class_epoch != snapshot.class_epoch()) {
    state.verdicts.clear();
  }
  if (state.verdicts_of != &policy) state.follow(policy.config);
  state.verdicts_of = &policy;
  state.origin = snapshot.origin();
  state.class_epoch = snapshot.class_epoch();
  state.jobs.update(input, policy);
  state.nodes.update(snapshot, policy);
  PlanStart start{policy.queues, {}};
  state.jobs.count(start.queues);
  start.total = state.nodes.free_total(snapshot) + state.jobs.held();
  if (input.usage) policy::apply_usage(*input.usage, start.queues);
  policy::divide(start.queues, start.total, policy.config.fairness.strength);
  return start;
}

PlanMaker::PlanMaker(const PlanInput& input, PlanMemory& state)
    : input_(input),
      policy_(input.policy ? *input.policy : state.open),
      jobs_(state.jobs),
      start_(start_plan(input, policy_, state)),
      decided_(start_.queues),
      overlay_(input.snapshot, state.nodes, start_.queues),
      fit_(input, policy_, overlay_, state.allocator, state.verdicts),
      domains_(policy_, fit_, overlay_),
      place_(fit_, domains_, overlay_),
      run_{input, policy_, jobs_, overlay_, decided_, total_, fit_, domains_, place_, plan_},
      take_back_(run_),
      open_nodes_(fit_.everywhere()) {}

Plan PlanMaker::make() {
  plan_.total = total_;
  report_queues();
  let_leave();
  let_claims_go();
  for (auto* job : jobs_.all()) {
    if (job->waiting == 0) continue;
    if (!job->queue) {
      wait(*job, Reason::queue_missing, "queue " + job->job->queue.get());
    } else if (ready(*job)) {
      waiting_.push_back(job);
    }
  }
  keep_holds();
  if (input_.actions.place) serve();
  const auto& config = policy_.config;
  if (input_.actions.consolidate && config.consolidation.enabled) take_back(Way::consolidate);
  if (input_.actions.reclaim && config.reclaim.enabled) take_back(Way::reclaim);
  if (input_.actions.preempt && config.preemption.enabled) take_back(Way::preempt);
  if (input_.actions.end_stale_gangs) end_stale_gangs();
  plan_.nodes_tried = fit_.tried();
  plan_.exhausted = plan_.exhausted || fit_.exhausted();
  if (const auto again = take_back_.again_at()) say_again(*again);
  overlay_.undo(0);
  return std::move(plan_);
}

void PlanMaker::report_queues() {
  for (const auto& queue : queues_.queues()) {
    plan_.queues.push_back({queue.name, queue.fair_share, queue.allocated, queue.requested});
  }
}

void PlanMaker::let_leave() {
  for (auto* job : jobs_.all()) {
    if (job->leaving == policy::Amounts(queues_.resources()) && job->tasks.size() == job->placed) {
      continue;
    }
    for (const auto& task : job->tasks) {
      if (task.member->state == MemberState::leaving) overlay_.let_leave(*job, task);
    }
  }
}

/// Pods that are gone still have their devices until somebody takes these off their claims.
void PlanMaker::let_claims_go() {
  for (const auto& leaving : input_.leaving) {
    const auto node = input_.snapshot->node(leaving.node);
    const auto held = input_.snapshot->allocation(leaving.claim);
    if (!node || !held) continue;
    Need need;
    need.counts = policy::Amounts(queues_.resources());
    need.devices = static_cast<double>(held->devices.size());
    overlay_.let_go(leaving.claim, *node, need);
  }
}

void PlanMaker::say_again(Time time) {
  if (time > input_.now && (!plan_.again_at || time < *plan_.again_at)) plan_.again_at = time;
}

/// Whether the job has what it takes to start, were there room.
bool PlanMaker::ready(PlanJob& job) {
  const auto chunk = job.next_chunk();
  if (chunk.empty()) return false;
  for (const auto id : chunk) {
    const auto& task = job.tasks[id];
    if (!task.not_ready) continue;
    wait(job, task.not_ready->reason, task.not_ready->detail);
    return false;
  }
  if (!job.gang || job.has_minimum()) return true;
  for (const auto id : chunk) job.set_state(job.tasks[id], TaskState::placed);
  const bool complete = job.has_minimum();
  for (const auto id : chunk) job.set_state(job.tasks[id], TaskState::pending);
  if (!complete) wait(job, Reason::gang_incomplete, {});
  return complete;
}

JobOutcome& PlanMaker::outcome(PlanJob& job) {
  const auto [at, added] = outcomes_.try_emplace(&job, plan_.jobs.size());
  if (added) {
    auto& made = plan_.jobs.emplace_back();
    made.job = job.job->uid;
    for (const auto& member : job.job->members) {
      if (member.state == MemberState::waiting) made.pods.push_back(member.pod->meta.uid);
    }
  }
  return plan_.jobs[at->second];
}

void PlanMaker::wait(PlanJob& job, Reason reason, std::string detail) {
  auto& made = outcome(job);
  made.reason = reason;
  made.detail = std::move(detail);
}

void PlanMaker::take(PlanJob& job, const std::vector<Placed>& placed, bool held) {
  auto& made = outcome(job);
  auto& to = held ? made.held : made.placements;
  for (const auto& each : placed) {
    to.push_back(each.placement);
    if (held) take_back_.keep(*each.task);
    made.warnings.insert(made.warnings.end(), each.warnings.begin(), each.warnings.end());
  }
  made.reason = held ? Reason::room_freed : Reason::none;
  made.detail = held ? "room is held for it" : words_for(placed.front());
  for (const auto& warning : made.warnings) made.detail += "; " + warning;
  decide(job);
}

/// What is tried has become what is decided.
void PlanMaker::decide(const PlanJob& job) {
  for (std::optional at = *job.queue; at; at = queues_[*at].parent_index) {
    decided_[*at].allocated = queues_[*at].allocated;
    decided_[*at].allocated_nonpreemptible = queues_[*at].allocated_nonpreemptible;
  }
}

}  // namespace dray::planner
