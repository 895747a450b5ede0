#include "planner/evict/victim_candidates.h"

#include <algorithm>
#include <vector>

#include "dray/base/saturating_time.h"

namespace dray::planner {

const VictimOrder::Candidates& VictimCandidates::by_queue(const JobOrder& order) {
  if (!collected_) collect(order);
  return candidates_;
}

const ClaimSharers& VictimCandidates::sharers() {
  if (!sharers_) sharers_.emplace(context_, jobs_);
  return *sharers_;
}

void VictimCandidates::collect(const JobOrder& order) {
  collected_ = true;
  candidates_.assign(context_.policy.queues.queues().size(), {});
  for (auto* job : jobs_.all()) {
    if (may_be_victim(*job)) candidates_[job->queue->get()].push_back(job);
  }
  for (auto& jobs : candidates_) order.sort_backwards(jobs);
}

bool VictimCandidates::may_be_victim(const PlanJob& job) {
  if (job.placed == 0 || !job.queue || !job.job->preemptible) return false;
  if (job.job->evicted) {
    const auto end =
        saturating_add(*job.job->evicted, context_.policy.config.budgets.victim_cooldown);
    again_at_.add(end);
    if (end > context_.input.now) return false;
  }
  return true;
}

void VictimCandidates::index_lineages() {
  indexed_ = true;
  for (const auto* job : jobs_.all()) {
    if (!job->job->evicted_for.empty()) evicted_[job->job->lineage].push_back(job);
  }
}

std::set<std::string_view> VictimCandidates::protected_beneficiaries(const PlanJob& job) {
  std::set<std::string_view> found;
  if (job.job->evicted_for.empty()) return found;
  if (!indexed_) index_lineages();
  std::vector<const PlanJob*> open{&job};
  while (!open.empty()) {
    const auto* at = open.back();
    open.pop_back();
    for (const auto& [beneficiary, until] : at->job->evicted_for) {
      if (until <= context_.input.now || !found.insert(beneficiary).second) continue;
      again_at_.add(until);
      const auto next = evicted_.find(beneficiary);
      if (next != evicted_.end()) open.insert(open.end(), next->second.begin(), next->second.end());
    }
  }
  return found;
}

}  // namespace dray::planner
