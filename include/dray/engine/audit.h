#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dray/engine/write.h"
#include "dray/model/claim.h"
#include "dray/model/pod.h"

namespace dray::engine {

// What must not be, and what can be done about it: rules that `dray serve` follows as claims change
// and `dray repair` applies to a whole cluster. Both look at what the API server holds, never at
// what is merely planned.

/// What an audit needs to know of pods.
struct AuditView {
  /// As the API server has it; null: there is none of that name.
  std::function<std::shared_ptr<const Pod>(const PodKey&)> pod;
  /// Whether dray allocates for the pod.
  std::function<bool(const Pod&)> ours;
};

/// The claim has the device to itself: no share of it, and no admin access.
[[nodiscard]] bool exclusive(const AllocatedDevice& device);

/// How firmly a claim holds its devices; the firmest of several keeps a device that all of them
/// have.
enum class Hold : std::uint8_t {
  loose,    ///< no user of it has a node, and all are dray's: it may give way
  foreign,  ///< no user of it has a node, but one is another scheduler's: not dray's to take
  bound,    ///< a pod with a node uses it: nothing is taken from a running pod
};
/// That of the claim, by the pods that use it. Without a user it is foreign: whoever allocated it
/// may be about to reserve it.
[[nodiscard]] Hold hold_of(const ResourceClaim& claim, const AuditView& view);

/// Of allocated claims that all have one device: those that have to give way to another. The one
/// that is held the firmest stays, of alike ones the older allocation.
[[nodiscard]] std::vector<const ResourceClaim*> give_way(
    std::span<const ResourceClaim* const> holders, const AuditView& view);

/// Users of an allocated claim that are not there any more: pods that are gone, whose name another
/// pod has, or that are finished. Groups are not looked at.
[[nodiscard]] std::vector<ClaimConsumer> orphaned_users(const ResourceClaim& claim,
                                                        const AuditView& view);

/// Whether what the API server says of the user (the outcome of a ReadPod) lets its claim be taken
/// from it: it is gone or finished, or, for a claim that gives way, a pod of ours without a node.
[[nodiscard]] bool may_lose(const Uid& user, bool gives_way, const WriteOutcome& read,
                            const std::function<bool(const Pod&)>& ours);

}  // namespace dray::engine
