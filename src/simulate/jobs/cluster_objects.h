#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dray/model/claim.h"
#include "dray/model/node.h"
#include "dray/model/object.h"
#include "dray/model/pod.h"
#include "dray/planner/job.h"
#include "dray/simulate/cluster.h"
#include "dray/simulate/object_stream.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// When a trace begins, on the clock of the planner: any time will do.
inline constexpr Time trace_start = Time(std::chrono::hours(24 * 365 * 50));

/// The node as a cluster would have it that has nodes alone.
[[nodiscard]] Node node_object(const GpuNode& node);
/// Visits all that the cluster has.
void for_each_object(const Cluster& cluster, const ObjectStream::Visit& visit);
/// The job as the planner knows it, waiting; `index`: its place in the workload, which names it.
/// `known_run_time`: the deadline of its pods is when they end.
[[nodiscard]] std::shared_ptr<planner::Job> job_object(const TraceJob& job, std::size_t index,
                                                       policy::QueueName queue, const GpuKind& gpus,
                                                       bool known_run_time = false);
/// The claim of a job's pod, which names it in its spec; nothing where the GPUs are no devices.
[[nodiscard]] std::optional<ResourceClaim> claim_object(const Pod& pod, const TraceJob& job,
                                                        const GpuKind& gpus);
[[nodiscard]] Uid job_uid(std::size_t index);
/// The workload's job of that uid.
[[nodiscard]] std::size_t index_of(const Uid& uid);

}  // namespace dray::simulate
