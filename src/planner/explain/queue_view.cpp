#include "planner/explain/queue_view.h"

#include <algorithm>

#include "planner/explain/help.h"
#include "planner/state/demand.h"

namespace dray::planner {
namespace {

/// Jobs ahead that are named.
constexpr std::size_t most_jobs_named = 5;

void add_level(QueueView& view, const policy::Queue& queue, const PlanInput& input,
               const Plan& plan, const policy::Amounts& asked) {
  const auto now = std::ranges::find(plan.queues, queue.name, &QueueReport::queue);
  if (now == plan.queues.end()) return;
  const auto& resources = input.policy->counting.resources();
  for (std::size_t r = 0; r < resources.size(); ++r) {
    if (asked[r] == 0) continue;
    view.levels.push_back({.queue = queue.name.get(),
                           .resource = resources[r],
                           .quota = queue.quota[r],
                           .limit = queue.limit[r],
                           .used = now->allocated[r],
                           .fair_share = now->fair_share[r],
                           .asked = asked[r]});
  }
}

void find_place(QueueView& view, const Job& job, const Question& question, const JobWatch& watch) {
  const auto turn = std::ranges::find(watch.turns, job.uid);
  std::size_t ahead = 0;
  for (auto at = watch.turns.begin(); at != watch.turns.end(); ++at) {
    const auto other = question.input.jobs.find(*at);
    if (!other) continue;
    const bool own = other->queue == job.queue;
    if (own) ++view.waiting;
    if (turn == watch.turns.end() || at >= turn) continue;
    if (!own) {
      ++view.others_ahead;
    } else {
      ++ahead;
      const bool named = view.ahead.size() < most_jobs_named && may_name(question, job, *other);
      if (named) view.ahead.push_back(other->name);
    }
  }
  view.more_ahead = ahead - view.ahead.size();
  if (turn != watch.turns.end()) view.position = ahead + 1;
}

}  // namespace

policy::Amounts asked_by(const Job& job, const PlanInput& input) {
  policy::Amounts asked(input.policy->counting.resources().size());
  DemandTable demands;
  demands.update(input.snapshot, *input.policy);
  CountedClaims counted;
  for (const auto& member : job.members) {
    if (member.state != MemberState::waiting) continue;
    if (const auto claims = claims_of(*input.snapshot, *member.pod)) {
      asked += demands.read_as_asked(member.pod, *claims, counted).counts;
    }
  }
  return asked;
}

std::optional<QueueView> queue_of(const Job& job, const Question& question, const Plan& plan,
                                  const JobWatch& watch) {
  const auto& input = question.input;
  const auto& queues = input.policy->queues;
  const auto leaf = queues.find(job.queue.get());
  if (!leaf) return std::nullopt;
  QueueView view{.name = job.queue.get(), .levels = {}, .ahead = {}};
  const auto asked = asked_by(job, input);
  for (std::optional at = leaf; at; at = queues[*at].parent_index) {
    add_level(view, queues[*at], input, plan, asked);
  }
  find_place(view, job, question, watch);
  return view;
}

}  // namespace dray::planner
