#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "planner/evict/eviction_budget.h"
#include "planner/evict/reprieve.h"
#include "planner/evict/simulate.h"
#include "planner/evict/validate.h"
#include "planner/evict/victim_candidates.h"

namespace dray::planner {

/// Room from others for one waiting job at a time: few whole victims, in the order in which queues
/// and jobs have to give, that let the whole chunk start. Scenarios are generated, simulated and
/// validated until one holds; of that, victims that are not needed are left out.
class VictimSearch {
 public:
  VictimSearch(const PlanContext& context, JobTable& jobs, Overlay& overlay, Placer& placer,
               const Decisions& decisions);
  VictimSearch(const VictimSearch&) = delete;
  VictimSearch& operator=(const VictimSearch&) = delete;

  /// What it takes to start the chunk; the overlay then holds it. Nothing: it cannot be done, and
  /// the overlay is as it was.
  [[nodiscard]] std::optional<Solution> solve(PlanJob& job, std::span<const std::uint32_t> chunk,
                                              Action action, const JobOrder& order,
                                              bool within_share = false);
  /// The solution is carried out: it counts in what comes after it.
  void commit(const Solution& solution);

  /// From now on so many scenarios may be tried. (At first: the plan's budget.)
  void allow(std::size_t scenarios) {
    simulator_.allow(scenarios);
    budget_.begin_search();
    cut_short_ = false;
  }
  /// How many were tried, and whether that is as many as may be.
  [[nodiscard]] std::size_t scenarios() const { return simulator_.scenarios(); }
  [[nodiscard]] bool exhausted() const { return simulator_.exhausted(); }
  /// Whether that ended a search since: what was not found may be there.
  [[nodiscard]] bool cut_short() const { return cut_short_; }
  /// Whether a set of victims was refused since only because the plan evicts others already.
  [[nodiscard]] bool lacked_evictions() const { return budget_.exhausted(); }
  /// When a protection ends that kept somebody from being a victim.
  [[nodiscard]] std::optional<Time> again_at() const;

 private:
  struct Look {
    std::optional<Solution> found;
    bool left_out = false;  ///< somebody only because of those that were found before
  };
  [[nodiscard]] std::optional<Solution> look_twice(Attempt& attempt, const JobOrder& order);
  [[nodiscard]] Look look_once(const Attempt& attempt, const JobOrder& order);
  [[nodiscard]] std::optional<Solution> with_fewest(const Attempt& attempt,
                                                    std::span<const Victims> all,
                                                    Scenario& scenario, Overlay::Mark mark,
                                                    Solution found);
  [[nodiscard]] std::optional<Solution> with_more(const Attempt& attempt,
                                                  std::span<const Victims> all,
                                                  const Scenario& scenario, Overlay::Mark mark,
                                                  Solution found);

  const PlanContext& context_;
  Overlay& overlay_;
  Placer& placer_;
  const Decisions& decisions_;
  VictimCandidates candidates_;
  EvictionBudget budget_;
  VictimValidator validator_;
  Reprieve reprieve_;
  VictimSimulator simulator_;
  bool cut_short_ = false;
};

}  // namespace dray::planner
