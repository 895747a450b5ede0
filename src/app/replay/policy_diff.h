#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/engine/engine.h"
#include "dray/planner/plan.h"
#include "dray/policy/config.h"

namespace dray::app {

/// What becomes of a job by one policy and by another, when they first differ.
struct JobDifference {
  std::string job;  ///< namespace/name
  Time at;
  std::string queue;      ///< by the recorded policy
  std::string new_queue;  ///< by the new one
  std::string was;        ///< `placed on n0`, or why it waited
  std::string would;      ///< the same by the new policy
};

/// Makes each plan of a record once more under another policy: from the same state, which the
/// recorded policy brought about. It says where that policy would have turned away first; what
/// would have followed from there, it does not. Gangs are those of the recorded policy; past usage
/// does not count.
class PolicyDiff {
 public:
  explicit PolicyDiff(policy::PolicyConfig config) : config_(std::move(config)) {}

  /// A plan of the record, and what it was made from.
  void see(const planner::PlanInput& input, const planner::Plan& plan,
           const engine::Options& options);

  [[nodiscard]] std::size_t plans() const { return plans_; }
  /// In the order in which they came up.
  [[nodiscard]] const std::vector<JobDifference>& differences() const { return found_; }
  /// The new policy cannot be used with the record's topologies; empty: it can.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  [[nodiscard]] std::optional<planner::PlanInput> changed(const planner::PlanInput& input);

  policy::PolicyConfig config_;
  std::shared_ptr<const policy::Policy> policy_;
  std::unique_ptr<planner::Planner> planner_;
  std::set<Uid> told_;
  std::vector<JobDifference> found_;
  std::size_t plans_ = 0;
  std::string problem_;
};

}  // namespace dray::app
