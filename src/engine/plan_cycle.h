#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/engine.h"
#include "dray/planner/plan.h"

namespace dray::engine {

/// When plans are made: one at a time, as soon as something changed that a plan may answer, and
/// when time alone may change the last one's answer. What comes within `pause` of the last one, or
/// within as long as that one took, is planned together.
class PlanCycle {
 public:
  /// Before the next jobs are looked at where a plan changed nothing.
  static constexpr Duration exhausted_pause = std::chrono::seconds(1);
  /// Before a plan that could not be taken is made again: what was in its way is under way.
  static constexpr Duration retry_pause = std::chrono::milliseconds(100);
  /// Whose outcomes a step takes at most.
  static constexpr std::size_t slice_pods = 64;

  explicit PlanCycle(Duration pause = {}) : pause_(pause) {}

  /// Something changed.
  void want() { wanted_ = true; }
  /// The outcome may change by then.
  void want_at(Time at);

  /// Whether a plan is to be made now; it counts as begun, or as not worth it, by the caller.
  [[nodiscard]] bool take_turn(Time now);
  /// A plan is made, here or (with `under_way`) beside the strand; gives its generation.
  std::uint64_t begin(Time now);
  void under_way(std::shared_ptr<const planner::PlanInput> input);
  /// What the plan was made from; null for a plan that is not awaited (any more).
  [[nodiscard]] std::shared_ptr<const planner::PlanInput> step(const Planned& planned);
  /// A plan is under way, or due as soon as it may begin: what changed may be for whoever comes
  /// first.
  [[nodiscard]] bool pending() const { return wanted_ || under_way_ != nullptr; }
  /// A pod of the queue was placed on the spot: a plan that is under way does not know of it.
  void placed_inline(const policy::QueueName& queue);
  /// Queues in which that happened since the plan began that was taken last.
  [[nodiscard]] const std::set<policy::QueueName>& moved_queues() const { return moved_queues_; }

  /// The plan is taken; by itself it may change at `again_at` of the plan and at these times.
  void taken(const planner::Plan& plan, std::optional<Time> jobs_change,
             std::optional<Time> budgets_change, Time now);
  /// After that, where the budget ended the plan: the rest is planned at once if this one moved
  /// anything, else, or where only the bound of evictions ended it, after a pause.
  void go_on_after(const planner::Plan& plan, Time now);

  /// What waiting jobs are told by a plan that many of them wait in is taken bit by bit, a slice a
  /// step: from that outcome on it is still to be taken. The next plan waits for the last.
  void leave_rest(std::shared_ptr<const planner::Plan> plan, std::size_t from, Time now);
  /// The next outcomes of the rest, of fewer than `slice_pods` pods or of one job; slice_taken()
  /// says that they are taken.
  [[nodiscard]] std::span<const planner::JobOutcome> take_slice();
  void slice_taken();
  [[nodiscard]] bool has_rest() const { return rest_ != nullptr; }

  void tick(Time now);
  /// Nothing while a plan is awaited: it says when the next one is due.
  [[nodiscard]] std::optional<Time> next_tick() const;
  /// Leadership changed: a plan made before is not taken.
  void reset();

  [[nodiscard]] std::uint64_t made() const { return made_; }
  /// What the last plan of all jobs hands to the next.
  [[nodiscard]] const planner::CarriedProgress& progress() const { return progress_; }
  /// What queues had at the beginning of the last plan.
  [[nodiscard]] const std::vector<planner::QueueReport>& queues() const { return queues_; }

 private:
  Duration pause_;
  bool wanted_ = false;
  Time begun_{};
  Time not_before_{};
  std::uint64_t generation_ = 0;
  std::uint64_t made_ = 0;
  std::shared_ptr<const planner::PlanInput> under_way_;
  std::shared_ptr<const planner::Plan> rest_;
  std::size_t rest_from_ = 0;
  Time rest_since_{};
  std::optional<Time> again_at_;
  planner::CarriedProgress progress_;
  std::vector<planner::QueueReport> queues_;
  std::set<policy::QueueName> moved_queues_;
};

/// Whether the placements of a job can be taken as the plan made them: their nodes (devices,
/// labels, taints, cordon, and no less room) and claims, with what was promised of them, are as
/// they were, or they must be made anew.
[[nodiscard]] bool unmoved(const planner::JobOutcome& outcome, const cluster::Snapshot& then,
                           const cluster::Snapshot& current);

}  // namespace dray::engine
