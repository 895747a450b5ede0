#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dray/base/time.h"
#include "dray/cluster/state.h"
#include "dray/planner/plan.h"
#include "engine/books/admission.h"
#include "engine/books/room_book.h"
#include "engine/books/usage_keeper.h"
#include "engine/pod_lifecycle.h"

namespace dray::engine {

/// What a plan reads, gathered from those who know it.
class PlanInputs {
 public:
  PlanInputs(cluster::ClusterState& cluster, Admission& admission, RoomBook& room,
             const UsageKeeper& usage, PodLifecycle& pods)
      : cluster_(cluster), admission_(admission), room_(room), usage_(usage), pods_(pods) {}

  /// Something waits, a gang may have lost members, or what runs is to be counted.
  [[nodiscard]] bool worth_planning() const;
  /// For a plan of all jobs.
  [[nodiscard]] planner::PlanInput of_all(Time now);
  /// For a plan of one waiting job, on `nodes` only, beside all that is placed or held; nobody is
  /// evicted for it. `nodes_a_pod` bounds the search.
  [[nodiscard]] planner::PlanInput of_one(const std::shared_ptr<const planner::Job>& job,
                                          const std::vector<NodeName>& nodes,
                                          std::size_t nodes_a_pod, Time now);
  /// For the question which of the nodes a pod that dray need not know would fit on, as things are:
  /// a job of its own, `dry_run_uid(pod)`, in the queue that the pod would be in.
  [[nodiscard]] planner::PlanInput dry_run(const Pod& pod, const std::vector<NodeName>& nodes,
                                           Time now);
  [[nodiscard]] static Uid dry_run_uid(const Pod& pod) {
    return Uid("dry-run/" + pod.meta.uid.get());
  }

  /// Reads a part of what a plan of one job reads into the planner. False: there is not much more.
  [[nodiscard]] bool read_ahead(planner::Planner& planner, std::size_t most, Time now);

 private:
  [[nodiscard]] planner::PlanBudget budget() const;
  void add_refused(const PodLife& pod, Time now, std::vector<planner::RefusedNode>& into) const;

  cluster::ClusterState& cluster_;
  Admission& admission_;
  RoomBook& room_;
  const UsageKeeper& usage_;
  PodLifecycle& pods_;
};

}  // namespace dray::engine
