#pragma once

#include <string>

#include "dray/model/pod.h"

namespace dray {

// The marks that dray and kube-scheduler leave on pods.

/// The reserved node, set when the gate is lifted. A hint for whoever plans after a restart, never
/// authority.
inline constexpr const char* reservation_annotation = "dray.dev/reservation";

/// The node groups that would have to grow for a pod's job, set when its gate is lifted for a
/// cluster autoscaler to see it. For people.
inline constexpr const char* node_group_annotation = "dray.dev/node-group";

/// Why a pod waits (False, on gated pods), or that an ungated one may be tried again (True).
inline constexpr const char* admitted_condition = "DrayAdmitted";

/// Whether spec.schedulingGates has the gate.
[[nodiscard]] bool gated_by(const Pod& pod, const std::string& gate);

/// kube-scheduler has tried the pod and found no node for it, without dray's part: where filter had
/// refused nodes, its text is in the message (and the verdict may be one from before a
/// reservation).
[[nodiscard]] bool called_unschedulable(const Pod& pod);

/// kube-scheduler has tried the pod in vain: no node would do, or what it had begun failed.
[[nodiscard]] bool not_scheduled(const Pod& pod);

/// kube-scheduler's last word about the pod, to see whether it has said another since.
[[nodiscard]] std::string scheduling_verdict(const Pod& pod);

}  // namespace dray
