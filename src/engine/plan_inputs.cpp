#include "engine/plan_inputs.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dray::engine {

bool PlanInputs::worth_planning() const {
  if (usage_.history() || admission_.jobs().has_groups()) return true;
  return pods_.any_unplaced();
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
  admission_.refresh_topologies();
  admission_.retry_blocked();
  input.jobs = admission_.jobs().jobs(now);
  input.snapshot = cluster_.snapshot();
  input.policy = admission_.policy();
  for (const auto& uid : pods_.refused_somewhere()) {
    const auto* pod = pods_.find(uid);
    if (pod == nullptr || pod->state != PodState::waiting || pod->bypasses) continue;
    add_refused(*pod, now, input.refused);
  }
  std::ranges::sort(input.refused);
  room_.refresh(input.jobs, now);
  input.disruption_budgets = admission_.budgets().budgets(now);
  input.holds = room_.holds();
  input.kept = room_.kept();
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
  admission_.refresh_topologies();
  input.snapshot = cluster_.snapshot();
  input.policy = admission_.policy();
  input.holds = room_.holds();
  if (admission_.open()) {
    input.jobs = {job};
  } else {
    input.jobs = admission_.jobs().holders(now);
    // Whose room is held keeps its wish, or the room would be free.
    for (const auto& hold : input.holds) {
      if (auto other = admission_.jobs().find(hold.job)) input.jobs.put(std::move(other));
    }
    input.jobs.put(job);
  }
  // Room that is kept for the job itself is its own.
  if (const auto& kept = room_.kept(); kept && kept->job != job->uid) {
    if (auto other = admission_.jobs().find(kept->job)) {
      input.jobs.put(std::move(other));
      input.kept = kept;
    }
  }
  for (const auto& member : job->members) {
    const auto* pod = pods_.find(member.pod->meta.uid);
    if (pod != nullptr) add_refused(*pod, now, input.refused);
  }
  std::ranges::sort(input.refused);
  input.only = nodes;
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

bool PlanInputs::read_ahead(planner::Planner& planner, std::size_t most, Time now) {
  planner::PlanInput input;
  input.policy = admission_.policy();
  if (!admission_.open()) {
    admission_.jobs().refresh(now);
    if (admission_.jobs().read_ahead(most)) return true;
    input.jobs = admission_.jobs().holders(now);
  }
  input.snapshot = cluster_.snapshot();
  return planner.read_ahead(input, most);
}

planner::PlanInput PlanInputs::dry_run(const Pod& pod, const std::vector<NodeName>& nodes,
                                       Time now) {
  auto job = planner::single_pod_job(std::make_shared<const Pod>(pod),
                                     admission_.jobs().queue_for(pod), now);
  job.uid = dry_run_uid(pod);
  return of_one(std::make_shared<const planner::Job>(std::move(job)), nodes, nodes.size(), now);
}

}  // namespace dray::engine
