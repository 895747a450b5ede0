#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "planner/state/context.h"
#include "planner/state/jobs.h"

namespace dray::planner {

/// Pods that share a claim are one unit of eviction: its devices are free only when all of them
/// have gone. Claims that somebody uses whom no plan evicts (a pod of another scheduler, a
/// PodGroup) are not counted on, and bind nobody together.
class ClaimSharers {
 public:
  /// Pods of a job that go with others.
  struct Part {
    PlanJob* job = nullptr;
    std::vector<Task*> tasks;
  };

  /// Reads who shares claims. From now on such tasks free what their claims count for.
  ClaimSharers(const PlanContext& context, const JobTable& jobs);

  /// Who has to go as well if these tasks of the job go, which are marked as yielding: placed tasks
  /// that share claims with them or with each other, and the rest of gangs that would be left below
  /// their minimum. The job's own first.
  [[nodiscard]] std::vector<Part> others_of(PlanJob& job, std::span<Task* const> tasks) const;

 private:
  using Users = std::vector<std::pair<PlanJob*, Task*>>;
  class Walk;

  std::map<ClaimKey, Users> users_;  ///< in the order of jobs
};

}  // namespace dray::planner
