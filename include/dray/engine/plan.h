#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/placement.h"
#include "dray/model/pod.h"
#include "dray/model/reason.h"

namespace dray::cluster {
class Snapshot;
}
namespace dray::alloc {
class Allocator;
}

namespace dray::engine {

/// What is placed as one: a gang's pods or a single pod.
struct Job {
  std::vector<std::shared_ptr<const Pod>> pods;  ///< in member order
  Time queued;

  [[nodiscard]] const Pod& first() const { return *pods.front(); }
};

/// A job with a node and devices for each of its pods, or the Reason why it waits.
struct JobOutcome {
  std::vector<Uid> pods;
  std::vector<Placement> placements;  ///< one a pod, or none at all
  Reason reason = Reason::none;
  std::string detail;
};

struct Plan {
  std::vector<JobOutcome> jobs;
  std::size_t nodes_tried = 0;  ///< (job, node) pairs that were looked at in full
  bool exhausted = false;       ///< the budget ended it: jobs beyond it have Reason planning
};

/// Bounds a plan by work, not by time, so that it is the same everywhere.
struct PlanBudget {
  std::size_t jobs = 512;
  std::size_t nodes_tried = 200'000;
};

struct RefusedNode {
  Uid pod;
  NodeName node;
  auto operator<=>(const RefusedNode&) const = default;
};

/// All that plan() reads: jobs in the order in which they are to be served.
struct PlanInput {
  std::shared_ptr<const cluster::Snapshot> snapshot;
  std::vector<Job> jobs;
  std::vector<RefusedNode> refused;  ///< sorted: kube-scheduler did not take the node for the pod
  std::optional<std::vector<NodeName>> only;  ///< where jobs may go; absent: anywhere
  PlanBudget budget;
  Time now;
};

/// Places the jobs in order, each on what the ones before it left over. Deterministic: what
/// `allocator` remembers from earlier plans saves work and changes no answer.
[[nodiscard]] Plan plan(const PlanInput& input, alloc::Allocator& allocator);

}  // namespace dray::engine
