#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dray/policy/reclaim.h"
#include "planner/evict/eviction_budget.h"
#include "planner/evict/scenario.h"
#include "planner/place/decisions.h"
#include "planner/state/context.h"

namespace dray::planner {

/// The rules of who may be evicted for whom: of queues and single victims before anything is tried,
/// and of a whole solution afterwards.
class VictimValidator {
 public:
  VictimValidator(const PlanContext& context, const Decisions& decisions, EvictionBudget& budget,
                  bool counts_node_allocatable);

  /// The queues, by their places, whose jobs the action may take room from.
  [[nodiscard]] std::vector<char> open_queues(const Attempt& attempt,
                                              const VictimOrder::Candidates& candidates) const;

  /// Whether the rules of shares let the job take the chunk, with `taken` of the queues before
  /// (reclaim: by one of KAI's two strategies).
  [[nodiscard]] bool queue_gives(const Attempt& attempt, const Victims& chunk,
                                 std::span<const policy::Amounts> taken) const;
  /// Whether the chunk itself, the first of these, may be evicted for the job: by priority, minimum
  /// run time, budgets, and unless that would reclaim back; and whether the others may go with it.
  [[nodiscard]] bool may_be_evicted(const Attempt& attempt, std::span<const Victims> unit,
                                    std::span<const policy::Amounts> taken);
  [[nodiscard]] bool may_be_evicted(const Attempt& attempt, const Victims& chunk,
                                    std::span<const policy::Amounts> taken) {
    return may_be_evicted(attempt, std::span(&chunk, 1), taken);
  }

  /// Whether the pod's place is none that this plan itself gave it for good.
  [[nodiscard]] bool may_be_withdrawn(const Attempt& attempt, const Task& task) const;

  /// What the attempt's chunk may take at most, by its queue's fair share.
  [[nodiscard]] policy::Amounts most_for(const Attempt& attempt) const;
  /// Whether the solution, as it was simulated, may be carried out.
  [[nodiscard]] bool holds(const Attempt& attempt, const Solution& solution) const;

  /// When a protection ends that kept somebody from being a victim.
  [[nodiscard]] std::optional<Time> again_at() const { return again_at_.get(); }

 private:
  [[nodiscard]] bool may_go_along(const Attempt& attempt, const Victims& chunk,
                                  std::span<const policy::Amounts> taken) const;
  [[nodiscard]] bool has_priority(const Attempt& attempt, const PlanJob& victim) const;
  [[nodiscard]] bool protected_by_runtime(const Attempt& attempt, const PlanJob& victim);
  [[nodiscard]] bool would_reclaim_back(const Attempt& attempt, const Victims& chunk,
                                        std::span<const policy::Amounts> taken) const;
  [[nodiscard]] bool holds_together(const Attempt& attempt, const Solution& solution) const;
  [[nodiscard]] std::vector<policy::Taking> takings(const Solution& solution) const;

  const PlanContext& context_;
  const Decisions& decisions_;
  EvictionBudget& budget_;
  bool counts_node_allocatable_;
  Earliest again_at_;
};

}  // namespace dray::planner
