#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/planner/plan.h"

namespace dray::engine {

/// When plans are made: one at a time, as soon as something changed that a plan may answer, and
/// when time alone may change the last one's answer.
class PlanCycle {
 public:
  /// Before the same jobs are looked at again for nothing.
  static constexpr Duration exhausted_pause = std::chrono::seconds(1);

  /// Something changed.
  void want() { wanted_ = true; }
  /// The outcome may change by then.
  void want_at(Time at);

  /// Whether a plan is to be made now; it counts as begun, or as not worth it, by the caller.
  [[nodiscard]] bool take_turn();
  /// A plan is made, here or (with `under_way`) beside the strand; gives its generation.
  std::uint64_t begin();
  void under_way(std::shared_ptr<const planner::PlanInput> input);
  /// What the plan was made from; null for a plan that is not awaited (any more).
  [[nodiscard]] std::shared_ptr<const planner::PlanInput> step(const Planned& planned);

  /// The plan is taken; by itself it may change at `again_at` of the plan and at these times.
  void taken(const planner::Plan& plan, std::optional<Time> jobs_change,
             std::optional<Time> budgets_change);
  /// After that, where the budget ended the plan: the rest is planned at once if this one moved
  /// anything, else the same plan again would end where this one did.
  void go_on_after(const planner::Plan& plan, Time now);

  void tick(Time now);
  /// Nothing while a plan is awaited: it says when the next one is due.
  [[nodiscard]] std::optional<Time> next_tick() const;
  /// Leadership changed: a plan made before is not taken.
  void reset();

  [[nodiscard]] std::uint64_t made() const { return made_; }
  /// What queues had at the beginning of the last plan.
  [[nodiscard]] const std::vector<planner::QueueReport>& queues() const { return queues_; }

 private:
  bool wanted_ = false;
  std::uint64_t generation_ = 0;
  std::uint64_t made_ = 0;
  std::shared_ptr<const planner::PlanInput> under_way_;
  std::optional<Time> again_at_;
  std::vector<planner::QueueReport> queues_;
};

/// Whether the placements of a job can be taken as the plan made them: their nodes and claims are
/// as they were, or the devices must be chosen anew.
[[nodiscard]] bool unmoved(const planner::JobOutcome& outcome, const cluster::Snapshot& then,
                           const cluster::Snapshot& current);

}  // namespace dray::engine
