#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dray/policy/queue_tree.h"
#include "planner/place/gangs.h"

namespace dray::planner {

/// What a plan has decided so far: the outcome of each job that was looked at, what the queues hold
/// by that (and not by what is being tried), and who keeps what it got.
class Decisions {
 public:
  /// Nothing is decided yet, and the queues hold what they do.
  explicit Decisions(policy::QueueTree queues) : queues_(std::move(queues)) {}

  [[nodiscard]] const policy::QueueTree& queues() const { return queues_; }
  /// Null: the job was not looked at.
  [[nodiscard]] const JobOutcome* find(const PlanJob& job) const;
  /// The outcome of the job, which is looked at from now on.
  JobOutcome& outcome(const PlanJob& job);
  /// All of them, in the order in which jobs were first looked at.
  [[nodiscard]] std::vector<JobOutcome> take_outcomes() { return std::move(outcomes_); }

  /// What the job still waits for.
  void wait(const PlanJob& job, Reason reason, std::string detail);
  /// Members start where they were placed. `tried`: the queues with them.
  void start(const PlanJob& job, std::span<const Placed> placed, const policy::QueueTree& tried);
  /// Room is held for members until others have left it; they keep it in this plan.
  void hold(const PlanJob& job, std::span<const Placed> placed, const policy::QueueTree& tried);
  /// What was tried for a job has become what is decided.
  void settle(const PlanJob& job, const policy::QueueTree& tried);

  /// Others leave their room for the member: nobody else takes that in this plan.
  void keep(const Task& task) { kept_.insert(&task); }
  [[nodiscard]] bool keeps(const Task& task) const { return kept_.contains(&task); }

 private:
  policy::QueueTree queues_;
  std::vector<JobOutcome> outcomes_;
  std::map<const PlanJob*, std::size_t> places_;  ///< in `outcomes_`
  std::set<const Task*> kept_;
};

}  // namespace dray::planner
