#include <algorithm>
#include <iterator>
#include <utility>

#include "dray/planner/job_watch.h"
#include "planner/make_room.h"

// Which jobs others make room for, and how much each may try.

namespace dray::planner {

RoomMade MakeRoom::run(std::span<PlanJob* const> waiting) {
  const auto& wanted = context_.input.actions;
  const auto& config = context_.policy.config;
  std::vector<Action> actions;
  if (wanted.consolidate && config.consolidation.enabled) actions.push_back(Action::consolidate);
  if (wanted.reclaim && config.reclaim.enabled) actions.push_back(Action::reclaim);
  if (wanted.preempt && config.preemption.enabled) actions.push_back(Action::preempt);
  const auto& budget = context_.input.budget;
  const auto used = std::min(placer_.fit().tried(), budget.nodes_tried);
  trying_.left = {.jobs = budget.jobs - turns_.reserved().size(),
                  .nodes = std::max(budget.nodes_tried - used, budget.nodes_tried / 4),
                  .scenarios = budget.scenarios};
  for (std::size_t i = 0; i < actions.size(); ++i) act(actions[i], waiting, actions.size() - i);
  made_.scenarios = search_.scenarios();
  again_at_.add(search_.again_at());
  made_.again_at = again_at_.get();
  return std::move(made_);
}

JobOrder MakeRoom::order_of(std::span<PlanJob* const> jobs) const {
  return {overlay_.queues(), context_.total, context_.input.now, context_.policy.config.aging,
          jobs};
}

/// `actions`: how many may still use what is left, this one among them.
void MakeRoom::act(Action action, std::span<PlanJob* const> waiting, std::size_t actions) {
  std::vector<PlanJob*> jobs;
  std::ranges::copy_if(waiting, std::back_inserter(jobs),
                       [&](const auto* job) { return is_candidate(*job, action); });
  somebody_owed_ = action == Action::consolidate && somebody_owed(waiting);
  trying_.by.clear();
  auto order = order_of(jobs);
  // What a budget has cut short comes first: it may take all that a plan may evict.
  const auto extended = std::ranges::find(jobs, turns_.extended());
  const bool first = extended != jobs.end() && turns_.extended_was_cut_short();
  if (first && look_at(**extended, action, order, trying_.left)) order.reorder();
  const auto share = [actions](std::size_t budget) {
    return budget / actions + (budget % actions != 0 ? 1 : 0);
  };
  const BudgetParts nodes(share(trying_.left.nodes), turns_.carries());
  const BudgetParts scenarios(share(trying_.left.scenarios), turns_.carries());
  Allowed left{.jobs = trying_.left.jobs, .nodes = nodes.in_order, .scenarios = scenarios.in_order};
  serve(action, order, left);
  std::vector<PlanJob*> rest;
  std::ranges::copy_if(jobs, std::back_inserter(rest), [this](const auto* job) {
    return turns_.is_reserved(*job) && !trying_.by.contains(job);
  });
  left = {.jobs = 0,
          .nodes = left.nodes + nodes.reserved,
          .scenarios = left.scenarios + scenarios.reserved};
  auto order_of_rest = order_of(rest);
  serve(action, order_of_rest, left);
  // Those before it may have ended that.
  if (extended != jobs.end() && !trying_.by.contains(*extended)) {
    static_cast<void>(look_at(**extended, action, order, left));
  }
  trying_.left.nodes -= nodes.in_order + nodes.reserved - left.nodes;
  trying_.left.scenarios -= scenarios.in_order + scenarios.reserved - left.scenarios;
  for (const auto* job : jobs) {
    if (!trying_.by.contains(job)) turns_.missed(*job, turns_.is_reserved(*job));
  }
}

/// Looks at jobs in their order until nothing is left for the next one.
void MakeRoom::serve(Action action, JobOrder& order, Allowed& left) {
  const auto is_over = [&] {
    return left.cut_short || (trying_.watch != nullptr && trying_.watch->stop.stop_requested());
  };
  while (auto* job = is_over() ? nullptr : order.next()) {
    if (trying_.by.contains(job)) {
      order.settle(false);
      continue;
    }
    const bool counts = !turns_.is_reserved(*job);
    if (counts && left.jobs == 0) {
      turns_.ended_by(BudgetKind::jobs);
      return;
    }
    if (counts) --left.jobs;
    const bool helped = look_at(*job, action, order, left);
    order.settle(false);
    if (helped) order.reorder();
  }
}

/// Whether the job got room, by no more than what is left.
bool MakeRoom::look_at(PlanJob& job, Action action, const JobOrder& order, Allowed& left) {
  trying_.by.insert(&job);
  auto& fit = placer_.fit();
  const auto& budget = context_.input.budget;
  const bool extended = &job == turns_.extended();
  fit.allow(extended ? turns_.extend(budget.nodes_tried) : left.nodes);
  search_.allow(extended ? turns_.extend(budget.scenarios) : left.scenarios);
  const auto nodes = fit.tried();
  const auto scenarios = search_.scenarios();
  const bool helped =
      keeper_.keeps_for(job) ? help_with_kept_room(job, action, order) : help(job, action, order);
  if (!extended) {
    left.nodes -= std::min(left.nodes, fit.tried() - nodes);
    left.scenarios -= std::min(left.scenarios, search_.scenarios() - scenarios);
  }
  const auto cut = helped ? std::nullopt : cut_short_by();
  if (cut) {
    turns_.ended_by(*cut);
    turns_.missed(job);
    // Others may do with the evictions that are left.
    left.cut_short = !extended && *cut != BudgetKind::evictions;
  }
  return helped;
}

/// Which budget ended the last search, if one did.
std::optional<BudgetKind> MakeRoom::cut_short_by() const {
  if (placer_.fit().exhausted()) return BudgetKind::nodes_tried;
  if (search_.cut_short()) return BudgetKind::scenarios;
  if (search_.lacked_evictions()) return BudgetKind::evictions;
  return std::nullopt;
}

/// Whether the action may look at the job: it waits, and this plan has looked whether free room
/// does.
bool MakeRoom::is_candidate(const PlanJob& job, Action action) {
  if (job.waiting == 0 || !job.has_next() || turns_.is_infeasible(job)) return false;
  const auto* watch = trying_.watch;
  if (watch != nullptr && watch->job_alone && watch->job != job.job->uid) return false;
  if (context_.input.actions.place && decisions_.find(job) == nullptr) return false;
  return may_evict(job, action);
}

}  // namespace dray::planner
