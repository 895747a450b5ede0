#pragma once

#include <cstdint>
#include <string_view>

namespace dray {

/// Why a pod does not go to a node, or waits: a closed vocabulary. The texts are constant (under
/// 120 characters, no node name, no number), because kube-scheduler groups by text and wakes a pod
/// whose condition text changed (facts: extender, hot loop). What the user sees beside them,
/// counts and names, goes to Events and `dray explain`.
enum class Reason : std::uint8_t {
  none,
  // The job waits, wherever it might go.
  planning,
  claim_missing,
  claim_deleting,
  claim_not_owned,
  class_missing,
  no_node_fits,
  unsupported,
  not_leader,
  not_synced,
  queue_missing,
  queue_limit,
  queue_quota,
  over_fair_share,
  gang_incomplete,
  gang_no_room,
  no_domain,
  room_kept,
  room_freed,
  // This node does not do.
  reserved_elsewhere,
  claim_elsewhere,
  node_unknown,
  node_unschedulable,
  node_selector,
  node_taint,
  node_resources,
  node_ports,
  node_refused,
  // Its devices do not do: the first stage that left too few candidates.
  no_devices,
  class_selector,
  claim_selector,
  selector_error,
  device_taint,
  devices_in_use,
  counters,
  capacity,
  constraint,
  pool_incomplete,
  pool_invalid,
  too_many_devices,
  search_budget,
  allocation_error,
  claim_consumers,
  binding_conditions,
};

/// The constant text of a Reason, as kube-scheduler and the user see it: `dray: …`.
[[nodiscard]] std::string_view text(Reason reason);

/// Its CamelCase name, for conditions, metrics and JSON: `DevicesInUse`.
[[nodiscard]] std::string_view name(Reason reason);

/// Every Reason but none, in order: for documentation, metrics and tests.
inline constexpr auto last_reason = Reason::binding_conditions;

}  // namespace dray
