#include "dray/model/reason.h"

#include <array>
#include <cstddef>
#include <utility>

namespace dray {
namespace {

constexpr bool yes = true;
constexpr bool no = false;

/// In the order of the enum, so that a row is found by its number. The columns after the text:
/// stage, progress, whether more nodes help, whether an eviction helps.
constexpr auto rows = std::to_array<ReasonInfo>({
    {Reason::none, "", "", ReasonStage::none, 0, no, no},
    {Reason::planning, "Planning", "dray: a placement is being planned", ReasonStage::job, 0, no,
     no},
    {Reason::claim_missing, "ClaimMissing", "dray: a ResourceClaim of the pod does not exist yet",
     ReasonStage::job, 0, no, no},
    {Reason::claim_deleting, "ClaimDeleting", "dray: a ResourceClaim of the pod is being deleted",
     ReasonStage::job, 0, no, no},
    {Reason::claim_not_owned, "ClaimNotOwned", "dray: a ResourceClaim was made for another pod",
     ReasonStage::job, 0, no, no},
    {Reason::class_missing, "ClassMissing", "dray: a DeviceClass of the claim does not exist",
     ReasonStage::job, 0, no, no},
    {Reason::no_node_fits, "NoNodeFits",
     "dray: no node of this cluster could take the pod, even if it were empty", ReasonStage::job, 0,
     yes, no},
    {Reason::unsupported, "Unsupported",
     "dray: the pod asks for something that dray does not support", ReasonStage::job, 1, no, no},
    {Reason::not_leader, "NotLeader", "dray: this replica is not the leader", ReasonStage::job, 0,
     no, no},
    {Reason::not_synced, "NotSynced", "dray: the cluster state is still being read",
     ReasonStage::job, 0, no, no},
    {Reason::queue_missing, "QueueMissing", "dray: the job's queue does not exist",
     ReasonStage::job, 0, no, no},
    {Reason::queue_limit, "QueueLimit", "dray: the queue, or one above it, is at its limit",
     ReasonStage::queue, 0, no, no},
    {Reason::queue_quota, "QueueQuota",
     "dray: the queue's quota has no room left for what cannot be preempted", ReasonStage::queue, 0,
     no, no},
    {Reason::over_fair_share, "OverFairShare",
     "dray: no room is free, and the queue has its fair share", ReasonStage::queue, 0, no, no},
    {Reason::gang_incomplete, "GangIncomplete",
     "dray: fewer pods of the gang are there than it needs", ReasonStage::job, 0, no, no},
    {Reason::gang_no_room, "GangNoRoom", "dray: there is not room for the whole gang",
     ReasonStage::room, 0, yes, yes},
    {Reason::no_domain, "NoDomain", "dray: no single topology domain has room for the whole gang",
     ReasonStage::room, 0, yes, yes},
    {Reason::room_kept, "RoomKept", "dray: free room is kept for a job that waits longer",
     ReasonStage::room, 0, no, yes},
    {Reason::room_freed, "RoomFreed", "dray: room is being freed for the job", ReasonStage::room, 2,
     no, yes},
    {Reason::reserved_elsewhere, "ReservedElsewhere",
     "dray: devices are reserved for the pod on another node", ReasonStage::node, 3, no, no},
    {Reason::claim_elsewhere, "ClaimElsewhere",
     "dray: a claim is allocated where this node cannot use it", ReasonStage::node, 4, no, no},
    {Reason::node_unknown, "NodeUnknown", "dray: the node is not known to dray yet",
     ReasonStage::node, 5, yes, no},
    {Reason::node_unschedulable, "NodeUnschedulable", "dray: the node is cordoned",
     ReasonStage::node, 6, yes, no},
    {Reason::node_selector, "NodeSelector",
     "dray: the node does not match the pod's selector or affinity", ReasonStage::node, 7, yes, no},
    {Reason::node_taint, "NodeTaint", "dray: the node has a taint that the pod does not tolerate",
     ReasonStage::node, 8, yes, no},
    {Reason::node_resources, "NodeResources",
     "dray: the node has too little CPU, memory or other resources", ReasonStage::node, 9, yes,
     yes},
    {Reason::node_ports, "NodePorts", "dray: a host port of the pod is taken on the node",
     ReasonStage::node, 10, yes, yes},
    {Reason::node_refused, "NodeRefused", "dray: kube-scheduler refused the node for this pod",
     ReasonStage::node, 11, yes, yes},
    {Reason::no_devices, "NoDevices", "dray: the node has too few devices", ReasonStage::devices,
     12, yes, no},
    {Reason::class_selector, "ClassSelector", "dray: too few devices match the DeviceClass",
     ReasonStage::devices, 13, yes, no},
    {Reason::claim_selector, "ClaimSelector", "dray: too few devices match the claim's selectors",
     ReasonStage::devices, 14, yes, no},
    {Reason::selector_error, "SelectorError", "dray: a CEL selector fails on a device",
     ReasonStage::devices, 15, yes, no},
    {Reason::device_taint, "DeviceTaint",
     "dray: too few devices without a taint that the claim bears", ReasonStage::devices, 16, yes,
     no},
    {Reason::devices_in_use, "DevicesInUse", "dray: too few matching devices are free",
     ReasonStage::devices, 17, yes, yes},
    {Reason::counters, "Counters", "dray: partitions of the devices leave too few counters",
     ReasonStage::devices, 18, yes, yes},
    {Reason::capacity, "Capacity", "dray: the devices have too little capacity left",
     ReasonStage::devices, 19, yes, yes},
    {Reason::constraint, "Constraint",
     "dray: free devices do not meet the claim's constraints together", ReasonStage::devices, 20,
     yes, yes},
    {Reason::pool_incomplete, "PoolIncomplete",
     "dray: a device pool is being updated by its driver", ReasonStage::devices, 21, yes, yes},
    {Reason::pool_invalid, "PoolInvalid", "dray: a device pool is published wrongly by its driver",
     ReasonStage::devices, 22, yes, yes},
    {Reason::too_many_devices, "TooManyDevices",
     "dray: the claim asks for more devices than a claim may have", ReasonStage::devices, 23, yes,
     yes},
    {Reason::search_budget, "SearchBudget",
     "dray: no fitting set of devices found within the search budget", ReasonStage::devices, 24,
     yes, yes},
    {Reason::allocation_error, "AllocationError", "dray: the claim cannot be evaluated",
     ReasonStage::devices, 25, yes, yes},
    {Reason::claim_consumers, "ClaimConsumers",
     "dray: a shared claim has as many users as it may have", ReasonStage::devices, 26, no, no},
    {Reason::binding_conditions, "BindingConditions", "dray: devices are not ready to be bound",
     ReasonStage::devices, 27, yes, yes},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::to_underlying(rows[i].reason) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const ReasonInfo> all_reasons() {
  return rows;
}

const ReasonInfo& reason_info(Reason reason) {
  return rows[std::to_underlying(reason)];
}

std::string_view text(Reason reason) {
  return reason_info(reason).text;
}

std::string_view plain_text(Reason reason) {
  static constexpr std::string_view prefix = "dray: ";
  const auto said = text(reason);
  return said.starts_with(prefix) ? said.substr(prefix.size()) : said;
}

std::string_view name(Reason reason) {
  return reason_info(reason).name;
}

bool ByProgress::operator()(Reason a, Reason b) const {
  const auto& left = reason_info(a);
  const auto& right = reason_info(b);
  return std::pair(left.progress, left.name) < std::pair(right.progress, right.name);
}

}  // namespace dray
