#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dray/cluster/snapshot.h"
#include "dray/planner/pod_claims.h"

namespace dray::planner {

/// Everything of a pod and its claims that decides where it fits, as one key: pods with equal keys
/// fit the same nodes.
[[nodiscard]] std::string shape_key(const Pod& pod, const PodClaims& claims);

/// Whether the key would not tell all: a claim is not the pod's own, or has devices already that
/// the pod does not give back with leaving its place.
[[nodiscard]] bool is_singular(const cluster::Snapshot& snapshot, const Pod& pod,
                               const PodClaims& claims, bool leaves);

[[nodiscard]] bool asks_for_part(const PodClaims& claims);
/// The devices that a claim has, or asks for (of `firstAvailable` the first; `All` is one).
[[nodiscard]] std::size_t devices_in(const ResourceClaim& claim,
                                     const AllocationResult* allocation);
/// A claim that is not the pod's own.
[[nodiscard]] bool is_shared(const ResourceClaim& claim, const Pod& pod);
[[nodiscard]] bool used_by_others(const ResourceClaim& claim, const Pod& pod);
/// Of several users of a claim, the one that it counts for.
[[nodiscard]] bool is_first_user(const ResourceClaim& claim, const Pod& pod);

/// A device as its driver published it, as far as its capacity goes.
[[nodiscard]] std::optional<Device> published_device(const cluster::Snapshot& snapshot,
                                                     const DeviceId& id);

}  // namespace dray::planner
