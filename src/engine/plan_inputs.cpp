#include "engine/plan_inputs.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dray::engine {
namespace {

bool waits(const planner::Member& member) {
  return member.state == planner::MemberState::waiting;
}

/// The job as others see it while one job is planned alone: what it holds counts, it wants no more.
std::shared_ptr<const planner::Job> without_wishes(const std::shared_ptr<const planner::Job>& job) {
  if (std::ranges::none_of(job->members, waits)) return job;
  auto quiet = *job;
  for (auto& member : quiet.members) {
    if (waits(member)) member.state = planner::MemberState::blocked;
  }
  return std::make_shared<const planner::Job>(std::move(quiet));
}

}  // namespace

bool PlanInputs::worth_planning() const {
  if (usage_.history() || admission_.jobs().has_groups()) return true;
  return std::ranges::any_of(pods_.all(), [](const auto& entry) {
    return entry.second.state == PodState::waiting && !entry.second.bypasses;
  });
}

void PlanInputs::add_refused(const PodLife& pod, Time now,
                             std::vector<planner::RefusedNode>& into) const {
  for (const auto& [node, refusal] : pod.refused) {
    const auto* facts = cluster_.find_node(node);
    if (facts == nullptr || now >= refusal.until) continue;
    if (facts->resource_version == refusal.node_version) into.push_back({pod.uid, node});
  }
}

planner::PlanBudget PlanInputs::budget() const {
  const auto& given = admission_.policy()->config.budgets;
  planner::PlanBudget budget;
  budget.jobs = static_cast<std::size_t>(std::max(given.jobs, 1));
  budget.nodes_tried = static_cast<std::size_t>(std::max(given.nodes_tried, 1));
  budget.evictions = static_cast<std::size_t>(std::max(given.evictions, 0));
  return budget;
}

planner::PlanInput PlanInputs::of_all(Time now) {
  planner::PlanInput input;
  admission_.retry_blocked();
  input.jobs = admission_.jobs().jobs(now);
  input.snapshot = cluster_.snapshot();
  input.policy = admission_.policy();
  for (const auto& [uid, pod] : pods_.all()) {
    if (pod.state != PodState::waiting || pod.bypasses) continue;
    add_refused(pod, now, input.refused);
  }
  std::ranges::sort(input.refused);
  room_.refresh(input.jobs, now);
  input.disruption_budgets = admission_.budgets().budgets(now);
  input.holds = room_.holds();
  input.leaving = room_.leaving_claims(now);
  input.usage = usage_.history();
  input.budget = budget();
  input.now = now;
  return input;
}

planner::PlanInput PlanInputs::of_one(const std::shared_ptr<const planner::Job>& job,
                                      const std::vector<NodeName>& nodes, std::size_t nodes_a_pod,
                                      Time now) {
  planner::PlanInput input;
  input.snapshot = cluster_.snapshot();
  input.policy = admission_.policy();
  if (admission_.open()) {
    input.jobs = {job};
  } else {
    for (const auto& other : admission_.jobs().jobs(now)) {
      // Whose room is held keeps its wish, or the room would be free.
      const bool as_it_is = other->uid == job->uid || room_.holds(other->uid);
      input.jobs.push_back(as_it_is ? other : without_wishes(other));
    }
    if (!admission_.jobs().find(job->uid)) {
      const auto place = std::ranges::upper_bound(input.jobs, job->uid, {}, &planner::Job::uid);
      input.jobs.insert(place, job);
    }
  }
  for (const auto& member : job->members) {
    const auto* pod = pods_.find(member.pod->meta.uid);
    if (pod != nullptr) add_refused(*pod, now, input.refused);
  }
  std::ranges::sort(input.refused);
  input.only = nodes;
  input.holds = room_.holds();
  input.usage = usage_.history();
  input.actions = {.place = true,
                   .consolidate = false,
                   .reclaim = false,
                   .preempt = false,
                   .end_stale_gangs = false};
  input.budget.nodes_tried = nodes_a_pod * job->members.size();
  input.now = now;
  return input;
}

planner::PlanInput PlanInputs::dry_run(const Pod& pod, const NodeName& node, Time now) {
  planner::PlanInput input;
  input.snapshot = cluster_.snapshot();
  input.jobs = {std::make_shared<const planner::Job>(
      planner::single_pod_job(std::make_shared<const Pod>(pod),
                              policy::QueueName(std::string(policy::default_queue)), now))};
  input.only = std::vector{node};
  input.now = now;
  return input;
}

}  // namespace dray::engine
