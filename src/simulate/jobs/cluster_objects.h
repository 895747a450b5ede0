#pragma once

#include <memory>
#include <string>

#include "dray/model/node.h"
#include "dray/model/pod.h"
#include "dray/planner/job.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// When a trace begins, on the clock of the planner: any time will do.
inline constexpr Time trace_start = Time(std::chrono::hours(24 * 365 * 50));

/// The node resource that stands for GPUs, and the label that names their model.
inline constexpr const char* gpu_resource = "nvidia.com/gpu";
inline constexpr const char* model_label = "nvidia.com/gpu.product";

/// The node as a cluster would have it.
[[nodiscard]] Node node_object(const GpuNode& node);
/// The job as the planner knows it, waiting; `index`: its place in the workload, which names it.
[[nodiscard]] std::shared_ptr<planner::Job> job_object(const TraceJob& job, std::size_t index,
                                                       policy::QueueName queue);
[[nodiscard]] Uid job_uid(std::size_t index);
/// The workload's job of that uid.
[[nodiscard]] std::size_t index_of(const Uid& uid);

}  // namespace dray::simulate
