#include "planner/evict/victim_search.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "planner/evict/generate.h"

namespace dray::planner {
namespace {

/// The priorities of the pods that are evicted for good, the highest first.
std::vector<std::int32_t> lost(const Solution& solution) {
  std::vector<std::int32_t> priorities;
  for (const auto& chunk : solution.victims) {
    for (auto* task : chunk.tasks) {
      if (task->just_placed() || solution.moved.contains(task)) continue;
      priorities.push_back(chunk.job->job->priority);
    }
  }
  std::ranges::sort(priorities, std::greater<>());
  return priorities;
}

/// Fewer pods are lost, or as many; in a queue, where priorities can be compared, fewer of the
/// highest that differs.
bool loses_no_more(const Solution& one, const Solution& other, Action action) {
  const auto a = lost(one);
  const auto b = lost(other);
  return action == Action::preempt ? a <= b : a.size() <= b.size();
}

}  // namespace

VictimSearch::VictimSearch(const PlanContext& context, JobTable& jobs, Overlay& overlay,
                           Placer& placer, const Decisions& decisions)
    : context_(context),
      overlay_(overlay),
      placer_(placer),
      decisions_(decisions),
      candidates_(context, jobs),
      budget_(context),
      validator_(context, decisions, budget_, placer.devices().counts_node_allocatable()),
      reprieve_(context, jobs, overlay, placer),
      simulator_(context, overlay, placer, reprieve_, validator_, budget_) {}

std::optional<Solution> VictimSearch::solve(PlanJob& job, std::span<const std::uint32_t> chunk,
                                            Action action, const JobOrder& order,
                                            bool within_share) {
  if (exhausted()) {
    cut_short_ = true;
    return std::nullopt;
  }
  Attempt attempt{.job = job,
                  .chunk = chunk,
                  .counts = job.least_of(chunk, decisions_.queues().resources()),
                  .action = action,
                  .protected_beneficiaries = candidates_.protected_beneficiaries(job),
                  .within_share = within_share};
  if (auto found = look_twice(attempt, order)) return found;
  // Only where no set within the budget does: a larger one.
  if (!budget_.refused_by_size() || exhausted()) return std::nullopt;
  budget_.allow_oversized(true);
  auto found = look_twice(attempt, order);
  budget_.allow_oversized(false);
  return found;
}

std::optional<Solution> VictimSearch::look_twice(Attempt& attempt, const JobOrder& order) {
  attempt.each_alone = false;
  auto look = look_once(attempt, order);
  if (look.left_out && !exhausted() && !placer_.fit().exhausted()) {
    attempt.each_alone = true;
    look = look_once(attempt, order);
  }
  cut_short_ = !look.found && exhausted();
  return std::move(look.found);
}

VictimSearch::Look VictimSearch::look_once(const Attempt& attempt, const JobOrder& order) {
  ScenarioGenerator generator(context_, attempt, decisions_.queues(), order,
                              candidates_.by_queue(order), candidates_.sharers(), validator_,
                              VictimCapacity(context_, overlay_, placer_.fit(), attempt));
  const auto mark = overlay_.mark();
  bool stop = false;
  while (auto scenario = generator.next(stop)) {
    auto found = simulator_.run(attempt, generator.found(), *scenario);
    if (found) {
      found = with_fewest(attempt, generator.found(), *scenario, mark, *std::move(found));
    }
    if (found) {
      found = with_more(attempt, generator.found(), *scenario, mark, *std::move(found));
    }
    if (found) {
      generator.keep_marks();
      return {.found = std::move(found), .left_out = false};
    }
    stop = exhausted() || placer_.fit().exhausted();
  }
  return {.found = std::nullopt, .left_out = generator.left_out()};
}

/// Does without victims one by one, those that are served first before others. Whose room lets
/// another one go on is needed as well.
std::optional<Solution> VictimSearch::with_fewest(const Attempt& attempt,
                                                  std::span<const Victims> all, Scenario& scenario,
                                                  Overlay::Mark mark, Solution found) {
  const auto redo = [&](const Scenario& with) {
    overlay_.undo(mark);
    return simulator_.run(attempt, all, with);
  };
  if (scenario.size() < 2 || scenario.size() > few_victims) return found;
  std::vector<const PlanJob*> needed;
  bool current = true;
  for (std::size_t i = scenario.size(); i-- > 0;) {
    // With those that go with it.
    const auto last = i + 1;
    while (all[scenario[i]].goes_with_last) --i;
    const auto unit = std::span(scenario).subspan(i, last - i);
    const bool known = std::ranges::any_of(unit, [&](std::size_t place) {
      return std::ranges::find(needed, all[place].job) != needed.end();
    });
    if (known) continue;
    auto fewer = scenario;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i),
                fewer.begin() + static_cast<std::ptrdiff_t>(last));
    if (fewer.empty()) break;
    if (auto better = redo(fewer); better && loses_no_more(*better, found, attempt.action)) {
      found = std::move(*better);
      scenario = std::move(fewer);
      current = true;
    } else {
      for (const auto place : unit) needed.push_back(all[place].job);
      current = false;
    }
  }
  if (current) return found;
  return redo(scenario);
}

/// Tries victims beside those that are needed: what the plan itself has just placed, which goes
/// before what runs, and, where more pods are lost than get room, or a queue has others of a lower
/// priority, all that were found. Who would be evicted may move to their room: a gang that loses
/// one pod goes as a whole.
std::optional<Solution> VictimSearch::with_more(const Attempt& attempt,
                                                std::span<const Victims> all,
                                                const Scenario& scenario, Overlay::Mark mark,
                                                Solution found) {
  const auto gone = lost(found);
  if (gone.empty()) return found;
  const bool lower =
      attempt.action == Action::preempt && std::ranges::any_of(all, [&](const Victims& chunk) {
        return chunk.job->job->priority < gone.front();
      });
  const bool whoever = lower || gone.size() > attempt.chunk.size();
  Scenario more;
  for (std::size_t place = 0; place < all.size(); ++place) {
    const bool placed_anew = std::ranges::all_of(all[place].tasks, &Task::just_placed);
    if (whoever || placed_anew || std::ranges::binary_search(scenario, place)) {
      more.push_back(place);
    }
  }
  if (more.size() == scenario.size() || more.size() > few_victims) return found;
  overlay_.undo(mark);
  auto better = simulator_.run(attempt, all, more);
  const bool fewer = better && !loses_no_more(found, *better, attempt.action);
  if (fewer) better = with_fewest(attempt, all, more, mark, *std::move(better));
  if (fewer && better) return better;
  overlay_.undo(mark);
  return simulator_.run(attempt, all, scenario);
}

void VictimSearch::commit(const Solution& solution) {
  budget_.spend(solution.victims);
  // A job that goes on with fewer pods stands elsewhere in the order.
  const bool some_go_on = std::ranges::any_of(
      solution.victims, [](const Victims& chunk) { return chunk.job->placed > 0; });
  if (some_go_on) candidates_.changed();
}

std::optional<Time> VictimSearch::again_at() const {
  Earliest earliest(context_.input.now);
  earliest.add(candidates_.again_at());
  earliest.add(validator_.again_at());
  return earliest.get();
}

}  // namespace dray::planner
