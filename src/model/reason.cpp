#include "dray/model/reason.h"

#include <array>
#include <cstddef>
#include <utility>

namespace dray {
namespace {

struct Row {
  Reason reason;
  std::string_view name;
  std::string_view text;
};

/// In the order of the enum.
constexpr std::array rows{
    Row{Reason::none, "", ""},
    Row{Reason::planning, "Planning", "dray: a placement is being planned"},
    Row{Reason::claim_missing, "ClaimMissing",
        "dray: a ResourceClaim of the pod does not exist yet"},
    Row{Reason::claim_deleting, "ClaimDeleting",
        "dray: a ResourceClaim of the pod is being deleted"},
    Row{Reason::claim_not_owned, "ClaimNotOwned", "dray: a ResourceClaim was made for another pod"},
    Row{Reason::class_missing, "ClassMissing", "dray: a DeviceClass of the claim does not exist"},
    Row{Reason::no_node_fits, "NoNodeFits",
        "dray: no node has the devices and room that the pod asks for"},
    Row{Reason::unsupported, "Unsupported",
        "dray: the pod asks for something that dray does not support"},
    Row{Reason::not_leader, "NotLeader", "dray: this replica is not the leader"},
    Row{Reason::not_synced, "NotSynced", "dray: the cluster state is still being read"},
    Row{Reason::queue_missing, "QueueMissing", "dray: the job's queue does not exist"},
    Row{Reason::queue_limit, "QueueLimit", "dray: the queue, or one above it, is at its limit"},
    Row{Reason::queue_quota, "QueueQuota",
        "dray: the queue's quota has no room left for what cannot be preempted"},
    Row{Reason::over_fair_share, "OverFairShare",
        "dray: no room is free, and the queue has its fair share"},
    Row{Reason::gang_incomplete, "GangIncomplete",
        "dray: fewer pods of the gang are there than it needs"},
    Row{Reason::gang_no_room, "GangNoRoom", "dray: there is not room for the whole gang"},
    Row{Reason::no_domain, "NoDomain",
        "dray: no single topology domain has room for the whole gang"},
    Row{Reason::room_kept, "RoomKept", "dray: free room is kept for a job that waits longer"},
    Row{Reason::room_freed, "RoomFreed", "dray: room is being freed for the job"},
    Row{Reason::reserved_elsewhere, "ReservedElsewhere",
        "dray: devices are reserved for the pod on another node"},
    Row{Reason::claim_elsewhere, "ClaimElsewhere",
        "dray: a claim is allocated where this node cannot use it"},
    Row{Reason::node_unknown, "NodeUnknown", "dray: the node is not known to dray yet"},
    Row{Reason::node_unschedulable, "NodeUnschedulable", "dray: the node is cordoned"},
    Row{Reason::node_selector, "NodeSelector",
        "dray: the node does not match the pod's selector or affinity"},
    Row{Reason::node_taint, "NodeTaint",
        "dray: the node has a taint that the pod does not tolerate"},
    Row{Reason::node_resources, "NodeResources",
        "dray: the node has too little CPU, memory or other resources"},
    Row{Reason::node_ports, "NodePorts", "dray: a host port of the pod is taken on the node"},
    Row{Reason::node_refused, "NodeRefused", "dray: kube-scheduler refused the node for this pod"},
    Row{Reason::no_devices, "NoDevices", "dray: the node has too few devices"},
    Row{Reason::class_selector, "ClassSelector", "dray: too few devices match the DeviceClass"},
    Row{Reason::claim_selector, "ClaimSelector",
        "dray: too few devices match the claim's selectors"},
    Row{Reason::selector_error, "SelectorError", "dray: a CEL selector fails on a device"},
    Row{Reason::device_taint, "DeviceTaint",
        "dray: too few devices without a taint that the claim bears"},
    Row{Reason::devices_in_use, "DevicesInUse", "dray: too few matching devices are free"},
    Row{Reason::counters, "Counters", "dray: partitions of the devices leave too few counters"},
    Row{Reason::capacity, "Capacity", "dray: the devices have too little capacity left"},
    Row{Reason::constraint, "Constraint",
        "dray: free devices do not meet the claim's constraints together"},
    Row{Reason::pool_incomplete, "PoolIncomplete",
        "dray: a device pool is being updated by its driver"},
    Row{Reason::pool_invalid, "PoolInvalid",
        "dray: a device pool is published wrongly by its driver"},
    Row{Reason::too_many_devices, "TooManyDevices",
        "dray: the claim asks for more devices than a claim may have"},
    Row{Reason::search_budget, "SearchBudget",
        "dray: no fitting set of devices found within the search budget"},
    Row{Reason::allocation_error, "AllocationError", "dray: the claim cannot be evaluated"},
    Row{Reason::claim_consumers, "ClaimConsumers",
        "dray: a shared claim has as many users as it may have"},
    Row{Reason::binding_conditions, "BindingConditions", "dray: devices are not ready to be bound"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::to_underlying(rows[i].reason) != i) return false;
  }
  return rows.size() == static_cast<std::size_t>(last_reason) + 1;
}
static_assert(in_order());

}  // namespace

std::string_view text(Reason reason) {
  return rows[std::to_underlying(reason)].text;
}

std::string_view name(Reason reason) {
  return rows[std::to_underlying(reason)].name;
}

}  // namespace dray
