#include "engine/plan_cycle.h"

#include <algorithm>
#include <utility>

#include "dray/cluster/snapshot.h"

namespace dray::engine {

void PlanCycle::want_at(Time at) {
  if (!again_at_ || at < *again_at_) again_at_ = at;
}

bool PlanCycle::take_turn() {
  if (under_way_) return false;
  return std::exchange(wanted_, false);
}

std::uint64_t PlanCycle::begin() {
  ++made_;
  return ++generation_;
}

void PlanCycle::under_way(std::shared_ptr<const planner::PlanInput> input) {
  under_way_ = std::move(input);
}

std::shared_ptr<const planner::PlanInput> PlanCycle::step(const Planned& planned) {
  if (planned.generation != generation_) return nullptr;
  return std::exchange(under_way_, nullptr);
}

void PlanCycle::taken(const planner::Plan& plan, std::optional<Time> jobs_change,
                      std::optional<Time> budgets_change) {
  queues_ = plan.queues;
  again_at_ = plan.again_at;
  for (const auto at : {jobs_change, budgets_change}) {
    if (at) want_at(*at);
  }
}

void PlanCycle::go_on_after(const planner::Plan& plan, Time now) {
  if (!plan.exhausted) return;
  const bool moved_on =
      !plan.evictions.empty() || std::ranges::any_of(plan.jobs, [](const planner::JobOutcome& job) {
        return !job.placements.empty() || !job.held.empty();
      });
  if (moved_on) {
    want();
  } else {
    want_at(now + exhausted_pause);
  }
}

void PlanCycle::tick(Time now) {
  if (under_way_ || !again_at_ || *again_at_ > now) return;
  again_at_.reset();
  wanted_ = true;
}

std::optional<Time> PlanCycle::next_tick() const {
  return under_way_ ? std::nullopt : again_at_;
}

void PlanCycle::reset() {
  under_way_.reset();
  ++generation_;
  wanted_ = true;
}

bool unmoved(const planner::JobOutcome& outcome, const cluster::Snapshot& then,
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

}  // namespace dray::engine
