#pragma once

#include <string>
#include <string_view>

#include "dray/base/time.h"
#include "dray/engine/write.h"

// Bodies of the requests that need no reading first. The patches are strategic merge patches which
// carry the uid: the API server answers 422 if the object of that name is another one.

namespace dray::wire {

inline constexpr std::string_view strategic_merge_patch = "application/strategic-merge-patch+json";
inline constexpr std::string_view json_merge_patch = "application/merge-patch+json";

/// PATCH pods/NAME: `gate` off, annotations on; other gates stay.
[[nodiscard]] std::string lift_patch(const engine::LiftGate& write, std::string_view gate);
/// PATCH pods/NAME.
[[nodiscard]] std::string annotation_patch(const engine::AnnotatePod& write);
/// PATCH pods/NAME/status.
[[nodiscard]] std::string nominate_patch(const engine::NominateNode& write);
/// PATCH pods/NAME/status; the other conditions stay.
[[nodiscard]] std::string condition_patch(const engine::SetPodCondition& write);

/// PATCH pods/NAME/status.
[[nodiscard]] std::string extended_claim_patch(const engine::NameExtendedClaim& write);
/// PATCH pods/NAME/status; a JSON merge patch.
[[nodiscard]] std::string node_allocatable_patch(const engine::SetNodeAllocatable& write);
/// DELETE provisioningrequests/NAME.
[[nodiscard]] std::string delete_body(const engine::WithdrawNodes& write);
/// DELETE resourceclaims/NAME.
[[nodiscard]] std::string delete_body(const engine::DeleteClaim& write);

/// Who reports an Event, and when.
struct EventSource {
  std::string controller;
  std::string instance;
  std::string trace = {};  ///< id of the trace of the decision; an annotation of the Event
  Time now;
};

/// POST pods/NAME/binding.
[[nodiscard]] std::string binding_body(const engine::BindPod& write);
/// POST pods/NAME/eviction.
[[nodiscard]] std::string eviction_body(const engine::EvictPod& write);
/// POST events (events.k8s.io/v1) as `reporter`/`instance`. The name is the pod's and the time, as
/// client-go makes it.
[[nodiscard]] std::string event_body(const engine::RecordEvent& write, const EventSource& source);

}  // namespace dray::wire
