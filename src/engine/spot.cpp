#include <algorithm>
#include <utility>

#include "engine/state.h"

// Plans made on the strand: a pod that kube-scheduler asks for and that has no plan yet, and what a
// plan placed on nodes that moved meanwhile.

namespace dray::engine {
namespace {

/// The job as others see it while one job is planned alone: what it holds counts, it wants no more.
std::shared_ptr<const planner::Job> without_wishes(const std::shared_ptr<const planner::Job>& job) {
  const auto waits = [](const planner::Member& member) {
    return member.state == planner::MemberState::waiting;
  };
  if (std::ranges::none_of(job->members, waits)) return job;
  auto quiet = *job;
  for (auto& member : quiet.members) {
    if (waits(member)) member.state = planner::MemberState::blocked;
  }
  return std::make_shared<const planner::Job>(std::move(quiet));
}

}  // namespace

planner::Plan Engine::State::spot_plan(const std::shared_ptr<const planner::Job>& job,
                                       const std::vector<NodeName>& nodes, Time now) {
  planner::PlanInput input;
  input.snapshot = cluster.snapshot();
  input.policy = policy;
  if (policies.open()) {
    input.jobs = {job};
  } else {
    for (const auto& other : book.jobs(now)) {
      // Whose room is held keeps its wish, or the room would be free.
      const bool as_it_is = other->uid == job->uid || holds.contains(other->uid);
      input.jobs.push_back(as_it_is ? other : without_wishes(other));
    }
    if (!book.find(job->uid)) {
      const auto place = std::ranges::upper_bound(input.jobs, job->uid, {}, &planner::Job::uid);
      input.jobs.insert(place, job);
    }
  }
  for (const auto& member : job->members) {
    const auto track = tracks.find(member.pod->meta.uid);
    if (track != tracks.end()) {
      std::ranges::move(refused_nodes(track->second, now), std::back_inserter(input.refused));
    }
  }
  std::ranges::sort(input.refused);
  input.only = nodes;
  input.holds = all_holds();
  input.usage = usage.history();
  input.actions = {.place = true,
                   .consolidate = false,
                   .reclaim = false,
                   .preempt = false,
                   .end_stale_gangs = false};
  input.budget.nodes_tried = options.spot_plan_nodes * job->members.size();
  input.now = now;
  return planner.plan(input);
}

void Engine::State::plan_on_the_spot(PodTrack& track, const std::vector<NodeName>& nodes,
                                     Time now) {
  track.reason = Reason::planning;
  book.refresh(now);
  const auto job = book.job_of(track.uid);
  if (!job) return;
  // Nobody's members are placed one by one: the gang's plan is on its way.
  if (job->members.size() > 1) {
    plan_wanted = true;
    return;
  }
  if (job->members.front().state != planner::MemberState::waiting) return;
  const auto made = spot_plan(job, nodes, now);
  if (made.exhausted) plan_wanted = true;
  const auto outcome = std::ranges::find(made.jobs, job->uid, &planner::JobOutcome::job);
  if (outcome == made.jobs.end()) return;
  track.detail = outcome->detail;
  track.warnings = outcome->warnings;
  if (!outcome->placements.empty()) return reserve(track, outcome->placements.front());
  if (outcome->reason != Reason::none) track.reason = outcome->reason;
}

}  // namespace dray::engine
