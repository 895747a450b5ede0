#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "planner/evict/reprieve.h"
#include "planner/evict/scenario.h"
#include "planner/evict/validate.h"
#include "planner/place/placer.h"

namespace dray::planner {

/// Tries scenarios out on the overlay: the victims go, the chunk is placed, victims that can stay
/// are reprieved, and the rules are asked of what is left.
class VictimSimulator {
 public:
  VictimSimulator(const PlanContext& context, Overlay& overlay, Placer& placer, Reprieve& reprieve,
                  const VictimValidator& validator, EvictionBudget& budget)
      : context_(context),
        overlay_(overlay),
        placer_(placer),
        reprieve_(reprieve),
        validator_(validator),
        budget_(budget),
        limit_(context.input.budget.scenarios) {}

  /// What the scenario comes to; the overlay then holds it, and tasks of victims that are not in
  /// it are placed. Nothing: it does not do, the overlay is as it was, and the tasks of all victims
  /// are marked as yielding.
  [[nodiscard]] std::optional<Solution> run(const Attempt& attempt, std::span<const Victims> all,
                                            const Scenario& scenario);
  /// How many were tried.
  [[nodiscard]] std::size_t scenarios() const { return scenarios_; }
  /// From now on so many may be tried. (At first: the plan's budget.)
  void allow(std::size_t scenarios) {
    constexpr auto all = std::numeric_limits<std::size_t>::max();
    limit_ = scenarios > all - scenarios_ ? all : scenarios_ + scenarios;
  }
  /// Whether as many as allowed were.
  [[nodiscard]] bool exhausted() const { return scenarios_ >= limit_; }

 private:
  enum class First : std::uint8_t { job, victims };
  [[nodiscard]] std::optional<Solution> run(const Attempt& attempt, std::span<const Victims> all,
                                            const Scenario& scenario, First first);
  [[nodiscard]] bool solves(const Attempt& attempt, Solution& solution, First first);
  [[nodiscard]] bool may_do(const Attempt& attempt, Solution& solution, First first);
  [[nodiscard]] bool spare(const Attempt& attempt, Solution& solution);

  const PlanContext& context_;
  Overlay& overlay_;
  Placer& placer_;
  Reprieve& reprieve_;
  const VictimValidator& validator_;
  EvictionBudget& budget_;
  std::size_t scenarios_ = 0;
  std::size_t limit_;  ///< of scenarios_
};

}  // namespace dray::planner
