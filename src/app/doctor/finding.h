#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dray::app {

/// What `dray doctor` can find wrong; a row of fault_table() each.
enum class Fault : std::uint8_t {
  // kube-scheduler's configuration.
  config_unreadable,
  node_sample,
  plugin_on,
  plugin_off,
  several_profiles,
  profile_missing,
  verb_missing,
  verb_unwanted,
  two_binders,
  extender_ignorable,
  managed_resources,
  sends_nodes,
  timeout_short,
  tls_unverified,
  plain_http,
  weight_small,
  scheduler_slow,
  scheduler_version,
  // What manifests/ installs.
  right_missing,
  account_missing,
  lease_missing,
  exclusion_missing,
  policy_missing,
  policy_altered,
  policy_unbound,
  flow_missing,
  flow_altered,
  policy_file,
  policy_cluster,
  schedulers_unlisted,
  other_unlisted,
  driver_open,
  plugin_refused,
  driver_shared,
  // What runs.
  leader_missing,
  clock_here,
  clock_of_holder,
  api_server_old,
  kubelet_old,
  gate_differs,
  controller_slow,
  controller_off,
  // Objects.
  pool_incomplete,
  pool_old_slices,
  pool_device_twice,
  object_unreadable,
  claim_repair,
  gate_foreign,
};

/// What is true of a fault wherever it is found.
struct FaultInfo {
  Fault fault;
  std::string_view name;  ///< `extender-ignorable`: for scripts, never changed
  std::string_view why;   ///< why it matters: one sentence without a full stop
};

/// Every fault, each once, in the order of Fault.
[[nodiscard]] std::span<const FaultInfo> fault_table();
/// The row of a fault.
[[nodiscard]] const FaultInfo& fault_info(Fault fault);

/// Something that is wrong, and what mends it.
struct Finding {
  Fault fault = Fault::config_unreadable;
  std::string object;  ///< `ConfigMap dray-system/dray-exclusion`, `extender 2 (https://…)`
  std::string what;    ///< what was seen: the value that decides
  std::string mend;    ///< what a person does about it

  bool operator==(const Finding&) const = default;
};
using Findings = std::vector<Finding>;

/// In the order of the table, those of one fault by object.
void sort_findings(Findings& findings);

}  // namespace dray::app
