#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dray/planner/plan.h"
#include "planner/state/context.h"
#include "planner/state/jobs.h"
#include "planner/template_nodes.h"

namespace dray::planner {

/// Whether the gang, or a part of it, is to be in one domain.
[[nodiscard]] bool wants_domain(const policy::SubGroup& group);

/// Which node groups would have to grow for jobs that found no room, job after job, as
/// cluster-autoscaler simulates it: pod by pod onto the first new node that takes it, with the
/// devices that Kubernetes' own allocator gives it; else onto one more, of the first group of the
/// policy whose node takes it. Where the policy asks for more than that (aligned devices, one
/// domain for a gang), the planner has to find room on these nodes as well.
class NodeGrowth {
 public:
  NodeGrowth(const PlanContext& context, const alloc::AllocatorOptions& options);

  /// What may be said of a job.
  struct Verdict {
    std::vector<std::string> groups;  ///< sorted; empty: no group can grow to fit
    std::string why_not;              ///< then: what each of them lacks, for people
  };
  /// For these tasks of the job, which wait. If groups can grow, what they have for it is the
  /// job's: the next one finds the rest.
  [[nodiscard]] Verdict judge(const PlanJob& job, std::span<const Task* const> tasks);

 private:
  /// What was done for a job, to be taken back if it does not end well.
  struct Trial {
    std::size_t nodes = 0;  ///< there were
    std::map<std::uint32_t, std::size_t> starts;
    std::vector<Placement> placed;
    std::vector<std::shared_ptr<const ResourceClaim>> claims;  ///< as they were
  };

  void bring(const Task& task, TemplateNodes& into) const;
  [[nodiscard]] bool place(const Task& task, Trial& trial);
  [[nodiscard]] bool place_on_new(const Task& task, Trial& trial);
  [[nodiscard]] bool place_on(const Task& task, const NodeName& node, Trial& trial);
  void undo(const Trial& trial);
  [[nodiscard]] bool suits_policy(const PlanJob& job, std::span<const Task* const> tasks,
                                  const Trial& trial);
  [[nodiscard]] std::string why_not(const Task& task) const;

  const PlanContext& context_;
  alloc::AllocatorOptions options_;
  Planner planner_;  ///< chooses devices as kube-scheduler does
  TemplateNodes templates_;
  /// By shape: the first new node that may still take such pods. Nodes only get fuller.
  std::map<std::uint32_t, std::size_t> starts_;
  /// By shape and group: why a node of it that is empty does not take such a pod.
  std::map<std::pair<std::uint32_t, std::size_t>, std::string> refusals_;
  std::string last_refusal_;
};

}  // namespace dray::planner
