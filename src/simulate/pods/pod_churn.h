#pragma once

#include <map>
#include <string>
#include <vector>

#include "dray/sim/calm_cluster.h"
#include "dray/simulate/churn.h"
#include "simulate/pods/pod_log.h"

namespace dray::simulate {

/// Has happen to a simulated cluster what churn says, with what Kubernetes' own controllers do
/// about it: the pods of a node that is gone are collected, its slices go with it, and when it
/// returns so do the pods that come with nodes.
class PodChurn {
 public:
  /// Both outlive it.
  PodChurn(sim::CalmCluster& cluster, PodLog& log) : cluster_(cluster), log_(log) {}

  void carry_out(const Churn& churn);

 private:
  void fail_node(const std::string& name);
  void return_node(const std::string& name);
  void cordon(const std::string& name, bool on);

  sim::CalmCluster& cluster_;
  PodLog& log_;
  std::map<std::string, std::vector<KubeObject>> away_;  ///< what a node has that failed, by node
};

}  // namespace dray::simulate
