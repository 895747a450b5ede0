#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "dray/model/claim.h"
#include "dray/model/pod.h"
#include "dray/model/reason.h"

namespace dray::cluster {
class Snapshot;
}

namespace dray::planner {

/// Why a pod cannot be planned yet, with the object that it waits for.
struct NotReady {
  Reason reason = Reason::none;
  std::string detail;
};

/// The claims of one pod.
using PodClaims = std::vector<std::shared_ptr<const ResourceClaim>>;

/// The claims of `pod`, in the order of spec.resourceClaims, each once; those that the pod turned
/// out not to need (a null name in its status) are left out. All of them exist, are this pod's to
/// use, and their classes exist. (What the in-tree plugin checks in PreEnqueue and PreFilter.)
[[nodiscard]] std::expected<PodClaims, NotReady> claims_of(const cluster::Snapshot& snapshot,
                                                           const Pod& pod);

/// The resources in the pod's requests that a DeviceClass stands behind (KEP-5004), by its
/// extendedResourceName or its implicit name; sorted.
[[nodiscard]] std::vector<std::string> class_resources(const cluster::Snapshot& snapshot,
                                                       const Pod& pod);

/// Whether the pod has nothing for dray to decide: no claims and no resource that a DeviceClass
/// stands behind.
[[nodiscard]] bool bypasses_dray(const cluster::Snapshot& snapshot, const Pod& pod);

}  // namespace dray::planner
