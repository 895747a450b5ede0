#include "planner/evict/victim_search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "planner/evict/generate.h"

namespace dray::planner {
namespace {

/// Scenarios this small are looked through for one that can do without some of its victims.
constexpr std::size_t few_victims = 32;

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
                                            Action action, const JobOrder& order) {
  if (exhausted()) return std::nullopt;
  const Attempt attempt{.job = job,
                        .chunk = chunk,
                        .counts = job.counts_of(chunk, decisions_.queues().resources()),
                        .action = action,
                        .protected_beneficiaries = candidates_.protected_beneficiaries(job)};
  ScenarioGenerator generator(context_, attempt, decisions_.queues(), order,
                              candidates_.by_queue(order), validator_,
                              VictimCapacity(context_, overlay_, placer_.fit(), attempt));
  const auto mark = overlay_.mark();
  bool stop = false;
  while (auto scenario = generator.next(stop)) {
    auto found = simulator_.run(attempt, generator.found(), *scenario);
    if (found) {
      found =
          with_fewest(attempt, generator.found(), *std::move(scenario), mark, *std::move(found));
    }
    if (found) {
      generator.keep_marks();
      return found;
    }
    stop = exhausted() || placer_.fit().exhausted();
  }
  return std::nullopt;
}

/// Does without victims one by one, those that are served first before others.
std::optional<Solution> VictimSearch::with_fewest(const Attempt& attempt,
                                                  std::span<const Victims> all, Scenario scenario,
                                                  Overlay::Mark mark, Solution found) {
  const auto redo = [&](const Scenario& with) {
    overlay_.undo(mark);
    return simulator_.run(attempt, all, with);
  };
  if (scenario.size() < 2 || scenario.size() > few_victims) return found;
  std::vector<const PlanJob*> needed;
  bool current = true;
  for (std::size_t i = scenario.size(); i-- > 0;) {
    const auto* job = all[scenario[i]].job;
    if (std::ranges::find(needed, job) != needed.end()) continue;
    auto fewer = scenario;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fewer.empty()) break;
    if (auto better = redo(fewer)) {
      found = std::move(*better);
      scenario = std::move(fewer);
      current = true;
    } else {
      needed.push_back(job);
      current = false;
    }
  }
  if (current) return found;
  return redo(scenario);
}

void VictimSearch::commit(const Solution& solution) {
  budget_.spend(solution.victims);
  for (const auto& [task, placement] : solution.moved) candidates_.moved(*task);
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
