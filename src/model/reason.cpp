#include "dray/model/reason.h"

#include <utility>

namespace dray {

std::string_view text(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "";
    case Reason::planning:
      return "dray: a placement is being planned";
    case Reason::claim_missing:
      return "dray: a ResourceClaim of the pod does not exist yet";
    case Reason::claim_deleting:
      return "dray: a ResourceClaim of the pod is being deleted";
    case Reason::claim_not_owned:
      return "dray: a ResourceClaim was made for another pod";
    case Reason::class_missing:
      return "dray: a DeviceClass of the claim does not exist";
    case Reason::no_node_fits:
      return "dray: no node has the devices and room that the pod asks for";
    case Reason::unsupported:
      return "dray: the pod asks for something that dray does not support";
    case Reason::not_leader:
      return "dray: this replica is not the leader";
    case Reason::not_synced:
      return "dray: the cluster state is still being read";
    case Reason::reserved_elsewhere:
      return "dray: devices are reserved for the pod on another node";
    case Reason::claim_elsewhere:
      return "dray: a claim is allocated where this node cannot use it";
    case Reason::node_unknown:
      return "dray: the node is not known to dray yet";
    case Reason::node_unschedulable:
      return "dray: the node is cordoned";
    case Reason::node_selector:
      return "dray: the node does not match the pod's selector or affinity";
    case Reason::node_taint:
      return "dray: the node has a taint that the pod does not tolerate";
    case Reason::node_resources:
      return "dray: the node has too little CPU, memory or other resources";
    case Reason::node_ports:
      return "dray: a host port of the pod is taken on the node";
    case Reason::node_refused:
      return "dray: kube-scheduler refused the node for this pod";
    case Reason::no_devices:
      return "dray: the node has too few devices";
    case Reason::class_selector:
      return "dray: too few devices match the DeviceClass";
    case Reason::claim_selector:
      return "dray: too few devices match the claim's selectors";
    case Reason::selector_error:
      return "dray: a CEL selector fails on a device";
    case Reason::device_taint:
      return "dray: too few devices without a taint that the claim bears";
    case Reason::devices_in_use:
      return "dray: too few matching devices are free";
    case Reason::counters:
      return "dray: partitions of the devices leave too few counters";
    case Reason::capacity:
      return "dray: the devices have too little capacity left";
    case Reason::constraint:
      return "dray: free devices do not meet the claim's constraints together";
    case Reason::pool_incomplete:
      return "dray: a device pool is being updated by its driver";
    case Reason::pool_invalid:
      return "dray: a device pool is published wrongly by its driver";
    case Reason::too_many_devices:
      return "dray: the claim asks for more devices than a claim may have";
    case Reason::search_budget:
      return "dray: no fitting set of devices found within the search budget";
    case Reason::allocation_error:
      return "dray: the claim cannot be evaluated";
    case Reason::claim_consumers:
      return "dray: a shared claim has as many users as it may have";
    case Reason::binding_conditions:
      return "dray: devices are not ready to be bound";
  }
  std::unreachable();
}

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "";
    case Reason::planning:
      return "Planning";
    case Reason::claim_missing:
      return "ClaimMissing";
    case Reason::claim_deleting:
      return "ClaimDeleting";
    case Reason::claim_not_owned:
      return "ClaimNotOwned";
    case Reason::class_missing:
      return "ClassMissing";
    case Reason::no_node_fits:
      return "NoNodeFits";
    case Reason::unsupported:
      return "Unsupported";
    case Reason::not_leader:
      return "NotLeader";
    case Reason::not_synced:
      return "NotSynced";
    case Reason::reserved_elsewhere:
      return "ReservedElsewhere";
    case Reason::claim_elsewhere:
      return "ClaimElsewhere";
    case Reason::node_unknown:
      return "NodeUnknown";
    case Reason::node_unschedulable:
      return "NodeUnschedulable";
    case Reason::node_selector:
      return "NodeSelector";
    case Reason::node_taint:
      return "NodeTaint";
    case Reason::node_resources:
      return "NodeResources";
    case Reason::node_ports:
      return "NodePorts";
    case Reason::node_refused:
      return "NodeRefused";
    case Reason::no_devices:
      return "NoDevices";
    case Reason::class_selector:
      return "ClassSelector";
    case Reason::claim_selector:
      return "ClaimSelector";
    case Reason::selector_error:
      return "SelectorError";
    case Reason::device_taint:
      return "DeviceTaint";
    case Reason::devices_in_use:
      return "DevicesInUse";
    case Reason::counters:
      return "Counters";
    case Reason::capacity:
      return "Capacity";
    case Reason::constraint:
      return "Constraint";
    case Reason::pool_incomplete:
      return "PoolIncomplete";
    case Reason::pool_invalid:
      return "PoolInvalid";
    case Reason::too_many_devices:
      return "TooManyDevices";
    case Reason::search_budget:
      return "SearchBudget";
    case Reason::allocation_error:
      return "AllocationError";
    case Reason::claim_consumers:
      return "ClaimConsumers";
    case Reason::binding_conditions:
      return "BindingConditions";
  }
  std::unreachable();
}

}  // namespace dray
