#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/claim.h"
#include "dray/model/config_map.h"
#include "dray/model/lease.h"
#include "dray/model/meta.h"
#include "dray/model/object.h"
#include "dray/model/pod.h"
#include "dray/model/provisioning_request.h"

namespace dray::engine {

// The writes that dray asks of the API server, one struct a request. The kube layer sends them to a
// real one, sim/api_server plays them; both answer with a WriteOutcome. Every write to an existing
// object names its uid: it must not hit a later object of the same name (409 conflict).

/// PATCH pods/NAME: takes dray's gate off and sets annotations, in one request, if `pod` still is
/// `uid`; other gates stay.
struct LiftGate {
  PodKey pod;
  Uid uid;
  Labels annotations;
};

/// PATCH pods/NAME: sets annotations (a renewed reservation hint of a lifted pod).
struct AnnotatePod {
  PodKey pod;
  Uid uid;
  Labels annotations;
};

/// PATCH pods/NAME/status: nominatedNodeName; no node clears it.
struct NominateNode {
  PodKey pod;
  Uid uid;
  std::optional<NodeName> node;
};

/// PATCH pods/NAME/status: sets one condition (by type); this also wakes the pod in kube-scheduler.
struct SetPodCondition {
  PodKey pod;
  Uid uid;
  Condition condition;
  /// It is there for that: kube-scheduler gave the pod up, and is to look again. Else people read
  /// it, which can wait, and only the latest matters.
  bool wakes = false;
};

/// PATCH resourceclaims/NAME: adds the delete-protection finalizer. `expected` is the
/// resourceVersion that the engine decided on.
struct ProtectClaim {
  ClaimKey claim;
  Uid uid;
  ResourceVersion expected;
};

/// PATCH resourceclaims/NAME/status: allocation and reservedFor in one request.
struct AllocateClaim {
  ClaimKey claim;
  Uid uid;
  ResourceVersion expected;
  AllocationResult allocation;
  std::vector<ClaimConsumer> reserved_for;
};

/// PATCH resourceclaims/NAME/status: adds a user to an allocated claim.
struct ReserveClaim {
  ClaimKey claim;
  Uid uid;
  ResourceVersion expected;
  ClaimConsumer consumer;
};

/// GET, then PATCH resourceclaims/NAME/status: removes a user and, where none is left and
/// `deallocate` is set, the allocation in the same request. Reads the claim first: it must work on
/// whatever is there. A claim that `consumer` does not use is left alone, and that is a success.
struct ReleaseClaim {
  ClaimKey claim;
  Uid uid;
  Uid consumer;
  bool deallocate = true;
  /// A write of ours to it may still be under way: where there is nothing to remove, the claim's
  /// resourceVersion is moved all the same (an annotation), so that the late write meets a
  /// conflict.
  bool fence = false;
};

/// Annotation of a claim or pod: the resourceVersion at which dray gave up what it wanted of it.
inline constexpr const char* undone_annotation = "dray.dev/undone";

/// POST resourceclaims: the claim for a pod's extended resources. conflict: there is one of that
/// name.
struct CreateClaim {
  ResourceClaim claim;
};

/// DELETE resourceclaims/NAME: a claim that CreateClaim made. Not there any more is a success;
/// conflict: it is another, or not at `expected` any more. Both are preconditions, since a DELETE
/// cannot say under which epoch it was decided.
struct DeleteClaim {
  ClaimKey claim;
  Uid uid;
  ResourceVersion expected;
};

/// PATCH pods/NAME/status: extendedResourceClaimStatus, by which the kubelet finds the devices.
struct NameExtendedClaim {
  PodKey pod;
  Uid uid;
  std::string claim;
  std::vector<ExtendedResourceMapping> mappings;
};

/// PATCH pods/NAME/status: nodeAllocatableResourceClaimStatuses, what the pod's devices take of its
/// node's own resources (KEP-5517): the kubelet and every scheduler count by it. Empty: nothing.
struct SetNodeAllocatable {
  PodKey pod;
  Uid uid;
  std::vector<NodeAllocatableClaim> claims;
};

/// GET resourceclaims/NAME: after a conflict or a lost answer.
struct ReadClaim {
  ClaimKey claim;
};

/// GET pods/NAME: after a lost answer to BindPod.
struct ReadPod {
  PodKey pod;
};

/// POST pods/NAME/binding, while the pod is at the resourceVersion; empty: whatever it is at.
struct BindPod {
  PodKey pod;
  Uid uid;
  NodeName node;
  ResourceVersion expected = {};
};

/// POST pods/NAME/eviction.
struct EvictPod {
  PodKey pod;
  Uid uid;
  bool dry_run = false;
};

/// POST events (events.k8s.io/v1) regarding a pod, or the object of that namespace, name and uid of
/// another kind. Best effort: its outcome changes nothing.
struct RecordEvent {
  PodKey pod;
  Uid uid;
  EventRecord event;
  Kind regarding = Kind::pod;
};

/// GET of the leader Lease.
struct ReadLease {
  LeaseKey lease;
};

/// PUT (or, where `expected` is empty, POST) of the leader Lease.
struct PutLease {
  LeaseKey lease;
  ResourceVersion expected;
  Lease value;
};

/// GET of dray's own ConfigMap.
struct ReadConfigMap {
  ConfigMapKey map;
};

/// PUT (or, where `expected` is empty, POST) of it: all of its data.
struct PutConfigMap {
  ConfigMapKey map;
  ResourceVersion expected;
  ConfigMap value;
};

/// A pod by whose specification nodes are asked for.
struct ExamplePod {
  PodKey pod;
  Uid uid;
};

/// POST provisioningrequests, then POST podtemplates for each of its pod sets, of the specification
/// of a pod that is read for it. What is there already, by an earlier try, stays; conflict: one of
/// that name is for another job, or an example is not there any more.
struct RequestNodes {
  ProvisioningRequest request;
  std::vector<ExamplePod> examples;  ///< one for each pod set, in their order
};

/// DELETE provisioningrequests/NAME; its templates go with it. Not there any more is a success.
struct WithdrawNodes {
  ProvisioningKey request;
  Uid uid;
};

using Write =
    std::variant<LiftGate, AnnotatePod, NominateNode, SetPodCondition, ProtectClaim, AllocateClaim,
                 ReserveClaim, ReleaseClaim, ReadClaim, ReadPod, BindPod, EvictPod, RecordEvent,
                 ReadLease, PutLease, CreateClaim, DeleteClaim, NameExtendedClaim, ReadConfigMap,
                 PutConfigMap, SetNodeAllocatable, RequestNodes, WithdrawNodes>;

/// Whether only who allocates devices and binds pods may ask for it.
[[nodiscard]] bool belongs_to_allocation(const Write& write);
/// `AllocateClaim`, for metrics and logs.
[[nodiscard]] std::string_view name(const Write& write);
/// `namespace/name` of the object that it is about, for logs.
[[nodiscard]] std::string subject(const Write& write);

/// What came of a Write: the object after it (for claim, pod and lease writes that return one), or
/// the error: conflict (409, also a uid that is not there any more), not_found (404), invalid
/// (422), denied (403; a disruption budget's 429 for an eviction), unavailable (no answer: it may
/// or may not have happened).
using WrittenObject = std::variant<std::monostate, ResourceClaim, Pod, Lease, ConfigMap>;
using WriteOutcome = Result<WrittenObject>;

}  // namespace dray::engine
