#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dray/alloc/allocator.h"
#include "planner/place/feasibility.h"
#include "planner/place/fit.h"
#include "planner/place/node_ranking.h"
#include "planner/state/jobs.h"
#include "planner/state/nodes.h"

namespace dray::planner {

/// What a plan starts from: queues with what they hold and their fair shares.
struct PlanStart {
  policy::QueueTree queues;
  policy::Amounts total;  ///< what the cluster has of the counted resources
};

/// What a planner remembers from plan to plan.
class PlanMemory {
 public:
  explicit PlanMemory(const alloc::AllocatorOptions& options)
      : allocator_(options), alignment_(options.alignment), shares_(options.shares) {}

  /// The input's policy, or the open one.
  [[nodiscard]] const policy::Policy& policy_of(const PlanInput& input) const {
    return input.policy ? *input.policy : open_;
  }
  /// Brings all up to the input, by that policy; jobs and nodes are as in the snapshot after it.
  [[nodiscard]] PlanStart start(const PlanInput& input);
  /// See Planner.
  [[nodiscard]] bool read_ahead(const PlanInput& input, std::size_t most);

  [[nodiscard]] alloc::Allocator& allocator() { return allocator_; }
  /// Of those before it, too.
  [[nodiscard]] alloc::Allocator::Counts allocator_counts() const;
  [[nodiscard]] JobTable& jobs() { return jobs_; }
  [[nodiscard]] NodeTable& nodes() { return nodes_; }
  [[nodiscard]] NodeVerdicts& verdicts() { return verdicts_; }
  [[nodiscard]] FeasibilityMemory& feasibility() { return feasibility_; }
  /// Of every node that a plan may use.
  [[nodiscard]] NodeRankings& rankings() { return rankings_; }

 private:
  const policy::Policy& go_by(const PlanInput& input);
  void follow(const policy::PolicyConfig& config);
  void set_aside_infeasible(const PlanInput& input);

  alloc::Allocator allocator_;
  alloc::Allocator::Counts counts_before_;        ///< of those before it
  std::vector<alloc::AlignmentLevel> alignment_;  ///< of the options
  alloc::SharePlacement shares_;                  ///< of the options
  policy::Policy open_ = policy::Policy::open();
  JobTable jobs_;
  NodeTable nodes_;
  NodeVerdicts verdicts_;
  NodeRankings rankings_;
  FeasibilityMemory feasibility_;
  const policy::Policy* verdicts_of_ = nullptr;
  std::shared_ptr<const void> origin_;
  std::uint64_t class_epoch_ = 0;
};

}  // namespace dray::planner
