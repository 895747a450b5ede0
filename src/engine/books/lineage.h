#pragma once

#include <string>

#include "dray/model/pod.h"
#include "engine/books/job_key.h"

namespace dray::engine {

/// What a job is known by also when its pods are made anew, under whatever names: its group's name,
/// or the workload that controls the pod (the Deployment of a ReplicaSet), or, of a pod that nobody
/// controls, its own name.
[[nodiscard]] std::string lineage_of(const JobKey& key, const Pod& pod);

}  // namespace dray::engine
