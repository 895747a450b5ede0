#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/simulate/recorded.h"
#include "simulate/trace/recorded_pods.h"

namespace dray::simulate {

/// GPUs that the pod asks for.
using GpusOf = std::function<std::int64_t(const PodLife&)>;

/// The jobs of a record between two times, in the order of their arrival, and what became of them.
/// What cannot be a job of a workload is left out and told in `warnings`.
void make_jobs(const RecordedPods& pods, const GpusOf& gpus_of, Time first, Time last,
               RecordedLoad& load, std::vector<std::string>& warnings);

}  // namespace dray::simulate
