#pragma once

#include <string>

#include "dray/model/pod_group.h"
#include "dray/policy/gang.h"
#include "engine/books/group_pods.h"
#include "engine/books/workload_book.h"

// The gangs of a JobSet: pods whose Jobs its controller creates together.

namespace dray::engine {

/// Which of the set's gangs the pod is in: its stage (stage_of()), or `KIND/INDEX` for the pods
/// that follow a Job's leader under exclusive placement. Empty: the set has one gang.
[[nodiscard]] std::string job_set_part(const JobSet& set, const Pod& pod);

/// The pod set of the gang that the pod is in.
[[nodiscard]] std::string job_set_pod_set(const JobSet& set, const Pod& pod);

/// The gang of that name. Its minimums leave out what the Jobs have completed, by their own status
/// or by their pods.
[[nodiscard]] policy::SubGroup job_set_gang(const JobSet& set, const std::string& part,
                                            const GroupPods& pods, const WorkloadBook& jobs);

/// Lowers the minimums of a group that another object defines (a PodGroup) to the pods that the
/// JobSet's controller has created or creates now: those of kinds that wait for others come later.
void leave_out_later_jobs(policy::SubGroup& root, const JobSet& set, const GroupPods& pods);

}  // namespace dray::engine
