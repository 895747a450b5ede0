#pragma once

#include "dray/cluster/state.h"
#include "dray/model/placement.h"
#include "dray/planner/job.h"
#include "dray/simulate/experiment.h"

namespace dray::simulate {

/// The claims of jobs in the state of a cluster whose GPUs are devices: there from when the planner
/// first sees a job until its end. Of other clusters nothing is done.
class JobClaims {
 public:
  JobClaims(const Setting& setting, cluster::ClusterState& state)
      : setting_(setting), state_(state) {}

  /// Those of its pods that are not there yet.
  void make(const planner::Job& job);
  /// The pod has what the placement says.
  void take(const Placement& placement);
  /// It has its devices no more.
  void give_back(const Pod& pod);
  /// The job has ended.
  void remove(const planner::Job& job);

 private:
  [[nodiscard]] bool none() const { return setting_.cluster().gpus.device_class.get().empty(); }

  const Setting& setting_;
  cluster::ClusterState& state_;
};

}  // namespace dray::simulate
