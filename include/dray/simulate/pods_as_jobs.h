#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "dray/policy/config.h"
#include "dray/simulate/experiment.h"
#include "dray/simulate/jobs_run.h"
#include "dray/simulate/pods_run.h"

namespace dray::simulate {

/// A run of pods, and under what.
struct PlayedPods {
  const PodsRun* run = nullptr;
  std::uint64_t seed = 0;
  std::shared_ptr<const policy::PolicyConfig> policy;  ///< null: none was in force
};

/// Runs of pods in the form of jobs in time, each pod a job of its own, with all that is known of
/// it.
struct PodsAsJobs {
  Setting setting;            ///< the nodes, and every pod of any of the runs
  std::vector<JobsRun> runs;  ///< with stays
};

/// Whether runs are to be compared pod by pod, or each is for itself, whatever the others are.
enum class Apart : std::uint8_t { compared, each };

/// `gpus`: what counts as GPUs, a DeviceClass or a node's resource; empty: gpu.nvidia.com or
/// nvidia.com/gpu, or where there are none what there is the most of. Queues are those of the first
/// run that has the pod. What ran in the cluster before is in no run. An Error says why not.
/// One of all runs where they are compared, else one of each.
[[nodiscard]] Result<std::vector<PodsAsJobs>> as_jobs(const std::vector<KubeObject>& cluster,
                                                      const std::vector<PlayedPods>& played,
                                                      const std::string& gpus, Apart apart);

}  // namespace dray::simulate
