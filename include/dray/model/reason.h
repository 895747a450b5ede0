#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dray {

/// Why a pod does not go to a node, or waits: a closed vocabulary. The texts are constant (under
/// 120 characters, no node name, no number), because kube-scheduler groups by text and wakes a pod
/// whose condition text changed (facts: extender, hot loop). What the user sees beside them,
/// counts and names, goes to Events and `dray explain`.
enum class Reason : std::uint8_t {
  none,
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
  reserved_elsewhere,
  claim_elsewhere,
  node_unknown,
  node_unschedulable,
  node_selector,
  node_taint,
  node_resources,
  node_ports,
  node_refused,
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

/// What stands between a pod and its place, from far to near.
enum class ReasonStage : std::uint8_t {
  none,     ///< nothing
  job,      ///< the job waits, wherever it might go
  queue,    ///< its queue may not have more
  room,     ///< room was looked for, and the job as a whole found none
  node,     ///< this node does not do
  devices,  ///< the node would do, its devices do not
};

/// What a Reason means: the one place where it is said. An enumerator's position means nothing.
struct ReasonInfo {
  Reason reason = Reason::none;
  std::string_view name;  ///< CamelCase, for conditions, metrics and JSON: `DevicesInUse`
  std::string_view text;  ///< constant, as kube-scheduler and the user see it: `dray: …`
  ReasonStage stage = ReasonStage::none;
  /// How many checks a node passes before this one can refuse it; distinct among the Reasons of
  /// one node. Of many refused nodes the one that came furthest says why a pod waits.
  std::uint8_t progress = 0;
  bool more_nodes_help = false;  ///< a node that is added, as those there are, may change it
  bool eviction_helps = false;   ///< a pod that goes may change it
};

/// Every Reason, `none` first, each once.
[[nodiscard]] std::span<const ReasonInfo> all_reasons();

/// The row of a Reason; constant time.
[[nodiscard]] const ReasonInfo& reason_info(Reason reason);

/// The constant text of a Reason, as kube-scheduler and the user see it: `dray: …`.
[[nodiscard]] std::string_view text(Reason reason);

/// The same without who says so, where that is plain: in dray's own reports.
[[nodiscard]] std::string_view plain_text(Reason reason);

/// Its CamelCase name, for conditions, metrics and JSON: `DevicesInUse`.
[[nodiscard]] std::string_view name(Reason reason);

/// Orders the Reasons of nodes by how far the nodes came, the furthest last; ties by name.
struct ByProgress {
  /// Whether `a` comes before `b`.
  [[nodiscard]] bool operator()(Reason a, Reason b) const;
};

}  // namespace dray
