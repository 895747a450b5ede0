#include "planner/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "dray/base/count_of.h"
#include "planner/state/job_order.h"

namespace dray::planner {

Turns::Turns(const PlanContext& context, const policy::QueueTree& queues,
             std::span<PlanJob* const> waiting)
    : context_(context), queues_(queues) {
  std::ranges::copy_if(waiting, std::back_inserter(waiting_),
                       [](const PlanJob* job) { return job->has_next(); });
  std::uint32_t slots = 0;
  for (const auto* job : waiting) slots = std::max(slots, job->slot + 1);
  const auto* carried = context.input.progress.get();
  if (carried != nullptr) number_ = carried->plan + 1;
  at_.resize(slots);
  states_.resize(waiting.size(), State{.plan = number_ - 1});
  for (std::uint32_t i = 0; i < waiting.size(); ++i) at_[waiting[i]->slot] = i;
  if (carried == nullptr || carried->looks.empty()) return;
  read(*carried);
  const auto jobs = context.input.budget.jobs;
  reserve(jobs - jobs / 2);
}

/// Both are in the order of uids.
void Turns::read(const Progress& carried) {
  auto look = carried.looks.begin();
  for (const auto* job : waiting_) {
    while (look != carried.looks.end() && look->job < job->job->uid) ++look;
    if (look == carried.looks.end()) return;
    if (look->job != job->job->uid) continue;
    auto& state = this->state(*job);
    state.plan = look->plan;
    state.cut_short = look->cut_short;
    state.looked = look->looked;
    state.known = true;
  }
}

void Turns::reserve(std::size_t most) {
  std::vector<PlanJob*> overdue;
  std::ranges::copy_if(waiting_, std::back_inserter(overdue), [this](const PlanJob* job) {
    return state(*job).known && state(*job).plan + 1 < number_;
  });
  reserved_ = dealt(overdue);
  if (reserved_.size() > most) reserved_.resize(most);
  for (const auto* job : reserved_) state(*job).reserved = true;
}

/// Of each queue in turn its next job: the one that no plan has looked at for longest, of those
/// alike the one that is served first. Where there are more queues than turns, the queue whose job
/// was not looked at for longer comes first.
std::vector<PlanJob*> Turns::dealt(const std::vector<PlanJob*>& jobs) const {
  const JobOrder order(queues_, context_.total, context_.input.now, context_.policy.config.aging,
                       {});
  std::map<policy::QueueIndex, std::vector<PlanJob*>> by_queue;
  for (auto* job : jobs) by_queue[*job->queue].push_back(job);
  using Turn = std::tuple<std::size_t, std::uint64_t, policy::QueueIndex, PlanJob*>;
  std::vector<Turn> turns;
  turns.reserve(jobs.size());
  for (auto& [queue, own] : by_queue) {
    order.sort_backwards(own);
    std::ranges::reverse(own);
    std::ranges::stable_sort(own, {}, [this](const PlanJob* job) { return state(*job).plan; });
    for (std::size_t i = 0; i < own.size(); ++i) {
      turns.emplace_back(i, state(*own[i]).plan, queue, own[i]);
    }
  }
  std::ranges::sort(turns, [](const Turn& a, const Turn& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  std::vector<PlanJob*> dealt;
  dealt.reserve(turns.size());
  for (const auto& turn : turns) dealt.push_back(std::get<3>(turn));
  return dealt;
}

std::size_t Turns::extend(std::size_t budget) const {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  constexpr std::uint32_t most_doublings = 40;
  const auto doublings = std::min(state(*extended()).cut_short, most_doublings);
  return std::max<std::size_t>(budget, 1) > (all >> doublings)
             ? all
             : std::max<std::size_t>(budget, 1) << doublings;
}

void Turns::looked(const PlanJob& job) {
  auto& seen = state(job).seen;
  if (seen == Seen::not_reached) seen = Seen::in_full;
}

void Turns::missed(const PlanJob& job, bool begun) {
  auto& state = this->state(job);
  if (begun && state.seen != Seen::in_part) ++state.cut_short;
  state.seen = Seen::in_part;
}

void Turns::set_infeasible(const PlanJob& job, bool lasting) {
  state(job).infeasible = true;
  state(job).set_aside = lasting;
}

CarriedProgress Turns::finish(const JobTable& jobs, Decisions& decisions) const {
  const bool all = std::ranges::all_of(
      waiting_, [this](const PlanJob* job) { return state(*job).seen == Seen::in_full; });
  auto infeasible = this->infeasible(jobs);
  if (all && !infeasible) return {};
  Progress progress{.plan = number_, .looks = {}, .infeasible = std::move(infeasible)};
  if (!all) {
    tell_unreached(decisions);
    progress.looks.reserve(waiting_.size());
    for (const auto* job : waiting_) {
      const auto& state = this->state(*job);
      if (state.set_aside) continue;
      const bool in_full = state.seen == Seen::in_full;
      progress.looks.push_back({.job = job->job->uid,
                                .plan = in_full ? number_ : state.plan,
                                .looked = state.looked || state.seen != Seen::not_reached,
                                .cut_short = in_full ? 0 : state.cut_short});
    }
  }
  return CarriedProgress(std::make_shared<const Progress>(std::move(progress)));
}

/// The list that was carried as long as it is not much longer than it need be.
JobTable::Reported Turns::infeasible(const JobTable& jobs) const {
  if (!sets_infeasible_aside(context_.input, context_.policy.config)) return nullptr;
  const auto* carried = context_.input.progress.get();
  auto before = carried != nullptr ? carried->infeasible : nullptr;
  const bool more =
      std::ranges::any_of(waiting_, [this](const PlanJob* job) { return state(*job).set_aside; });
  constexpr std::size_t slack = 64;
  const bool long_list = before && before->size() > 2 * jobs.aside().size() + slack;
  if (!more && !jobs.some_became_feasible() && !long_list) return before;
  auto list = std::make_shared<std::vector<std::shared_ptr<const Job>>>();
  for (const auto* job : jobs.aside()) list->push_back(job->job);
  for (const auto* job : waiting_) {
    if (state(*job).set_aside) list->push_back(job->job);
  }
  if (list->empty()) return nullptr;
  std::ranges::sort(*list, {}, [](const auto& job) -> const Uid& { return job->uid; });
  return list;
}

void Turns::tell_unreached(Decisions& decisions) const {
  std::vector<PlanJob*> unreached;
  std::ranges::copy_if(waiting_, std::back_inserter(unreached),
                       [&](const PlanJob* job) { return state(*job).seen == Seen::not_reached; });
  if (std::ranges::all_of(unreached, [this](const PlanJob* job) { return state(*job).known; })) {
    return;
  }
  std::size_t ahead = 0;
  for (const auto* job : dealt(unreached)) {
    if (!state(*job).known) {
      decisions.wait(
          *job, Reason::planning,
          fmt::format("not reached yet: {} ahead of it this round", count_of(ahead, "job")));
    }
    ++ahead;
  }
}

}  // namespace dray::planner
