#pragma once

#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/ids.h"
#include "dray/simulate/object_stream.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// The label that names the model of a node's GPUs.
inline constexpr const char* model_label = "nvidia.com/gpu.product";

/// What a job's GPUs are to Kubernetes.
struct GpuKind {
  ClassName device_class;  ///< devices of this DeviceClass, by claims; empty: node_resource
  std::string node_resource = "nvidia.com/gpu";  ///< a device plugin's, or else that of the class

  bool operator==(const GpuKind&) const = default;
};

/// A cluster that jobs run on, which is empty when they come.
struct Cluster {
  std::vector<GpuNode> nodes;  ///< as strategies see them
  /// As the planner sees them, with slices, classes and the pods of their DaemonSets; none: nodes
  /// are all that there is.
  ObjectStream objects;
  GpuKind gpus;
};

/// The cluster that manifests or a snapshot describe. Nodes that take no pods of jobs are left out:
/// cordoned ones, and ones with taints other than for the GPUs. What runs there is left out, too,
/// but for pods of DaemonSets and of the node itself, because the workload comes in its place.
/// `gpus`: a DeviceClass or a node's resource; empty: gpu.nvidia.com or, without such devices,
/// nvidia.com/gpu. What is left out is told in `warnings`. Objects that are made one by one stay
/// so.
[[nodiscard]] Result<Cluster> cluster_of(const ObjectStream& objects, const std::string& gpus,
                                         std::vector<std::string>& warnings);

}  // namespace dray::simulate
