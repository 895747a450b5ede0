#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/model/claim.h"
#include "dray/model/pod.h"

namespace dray::alloc {

/// Annotation that marks the claim made for a pod's extended resources.
inline constexpr const char* extended_resource_annotation =
    "resource.kubernetes.io/extended-resource-claim";

/// The class behind an extended resource: by its implicit name, or by extendedResourceName, of
/// which the newest class wins, then the lower name. Null: none.
[[nodiscard]] std::shared_ptr<const DeviceClass> class_behind(const cluster::Snapshot& snapshot,
                                                              std::string_view resource);

/// Whether the claim was made for this pod's extended resources.
[[nodiscard]] bool is_extended_resource_claim(const ResourceClaim& claim, const Uid& pod);

/// A claim that dray makes for a pod: the name is the same each time, and no other pod's.
[[nodiscard]] ClaimKey generated_claim_key(const Pod& pod, std::string_view purpose);
/// The name of the claim for the pod's extended resources.
[[nodiscard]] ClaimKey extended_resource_claim_key(const Pod& pod);

/// The claim for a pod's extended resources on one node (KEP-5004).
struct ExtendedResourceClaim {
  /// Named `<pod>-extended-resources-` and five letters, always the same of one pod, so that a
  /// second attempt finds what the first has made. (Upstream lets the API server choose them.)
  ResourceClaim claim;
  std::vector<ExtendedResourceMapping> mappings;
};

/// What kube-scheduler's DynamicResources plugin would ask of `node` for the pod's extended
/// resources that a DeviceClass stands behind and that the node itself does not offer; nothing if
/// there are none. The same for nodes that offer the same.
[[nodiscard]] std::optional<ExtendedResourceClaim> extended_resource_claim(
    const Pod& pod, const cluster::Snapshot& snapshot, cluster::NodeIndex node);

}  // namespace dray::alloc
