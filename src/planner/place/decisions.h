#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dray/policy/queue_tree.h"
#include "planner/place/gangs.h"
#include "planner/place/why_there.h"

namespace dray::planner {

/// How those leave who make room for a job: some are evicted and have no other room, or all only
/// move, or they leave for another job, which put this one there.
enum class Left : std::uint8_t { for_good, moved, for_another };

/// What a plan has decided so far: the outcome of each job that was looked at, what the queues hold
/// by that (and not by what is being tried), and who keeps what it got.
class Decisions {
 public:
  /// Nothing is decided yet, and the queues hold what they do.
  Decisions(policy::QueueTree queues, const WhyThere& why_there)
      : queues_(std::move(queues)), why_there_(why_there) {}

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
  /// Room is held for members until others have left it, who `left` so; they keep it in this plan.
  void hold(const PlanJob& job, std::span<const Placed> placed, const policy::QueueTree& tried,
            Left left = Left::for_good);
  /// What was tried for a job has become what is decided.
  void settle(const PlanJob& job, const policy::QueueTree& tried);

  /// Others leave their room for the member: nobody else takes that in this plan, but for its own
  /// queue's higher priority if nobody is evicted for it.
  void keep(const Task& task, Left left = Left::for_good) { kept_.insert_or_assign(&task, left); }
  [[nodiscard]] bool keeps(const Task& task) const { return kept_.contains(&task); }
  [[nodiscard]] bool nobody_evicted_for(const Task& task) const {
    const auto kept = kept_.find(&task);
    return kept != kept_.end() && kept->second != Left::for_good;
  }
  /// The member has lost that room.
  void forget(const Task& task) { kept_.erase(&task); }

  /// Room on these nodes, sorted, is kept for a job that waits for those who run there to end:
  /// nobody of them is evicted for others, who would not get that room.
  void keep_nodes(std::vector<cluster::NodeIndex> nodes) { kept_nodes_ = std::move(nodes); }
  [[nodiscard]] bool is_kept(cluster::NodeIndex node) const {
    return std::ranges::binary_search(kept_nodes_, node);
  }

 private:
  policy::QueueTree queues_;
  WhyThere why_there_;
  std::vector<JobOutcome> outcomes_;
  std::vector<std::uint32_t> places_;  ///< in `outcomes_`, from 1, by PlanJob::slot; 0: none
  std::map<const Task*, Left> kept_;   ///< members that others leave for, and how these do
  std::vector<cluster::NodeIndex> kept_nodes_;
};

}  // namespace dray::planner
