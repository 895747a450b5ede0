#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "dray/cluster/snapshot.h"
#include "dray/planner/pod_claims.h"

// Questions about a pod's claims: whose they are and how many devices they stand for.

namespace dray::planner {

/// Whether pods of the same specification may still fit other nodes: a claim is not the pod's own,
/// or has devices already that the pod does not give back by leaving its place (`leaves`).
[[nodiscard]] bool is_singular(const cluster::Snapshot& snapshot, const Pod& pod,
                               const PodClaims& claims, bool leaves);

/// Whether a request is for a part of a device (consumable capacity).
[[nodiscard]] bool asks_for_part(const PodClaims& claims);

/// The devices that a claim has, or asks for (of `firstAvailable` the first; `All` is one).
[[nodiscard]] std::size_t devices_in(const ResourceClaim& claim,
                                     const AllocationResult* allocation);

/// Whether the claim is not the pod's own.
[[nodiscard]] bool is_shared(const ResourceClaim& claim, const Pod& pod);

/// Whether another pod, or a PodGroup, uses the claim as well. Who is gone, or done, stands in the
/// claim for a while, and does not.
[[nodiscard]] bool used_by_others(const cluster::Snapshot& snapshot, const ResourceClaim& claim,
                                  const Pod& pod);

/// Whether somebody uses the claim who is there still, and of whom `known` is not true.
[[nodiscard]] bool used_by_others(const cluster::Snapshot& snapshot, const ResourceClaim& claim,
                                  const std::function<bool(const Uid&)>& known);

/// Whether the pod, or its PodGroup, is listed among the claim's users: it needs no place of its
/// own there.
[[nodiscard]] bool is_listed_user(const ResourceClaim& claim, const Pod& pod);

/// Whether the pods would use the claim as one user: the PodGroup that they share owns it
/// (KEP-5729).
[[nodiscard]] bool same_user(const ResourceClaim& claim, const Pod& a, const Pod& b);

/// Whether the claim already lists as many users as it may, and the pod is none of them.
[[nodiscard]] bool is_full_for(const ResourceClaim& claim, const Pod& pod);

/// Of several users of a claim, the one that it counts for.
[[nodiscard]] bool is_first_user(const cluster::Snapshot& snapshot, const ResourceClaim& claim,
                                 const Pod& pod);

/// A device as its driver published it, as far as its capacity goes.
[[nodiscard]] std::optional<Device> published_device(const cluster::Snapshot& snapshot,
                                                     const DeviceId& id);

}  // namespace dray::planner
