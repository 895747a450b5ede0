#include "app/doctor/finding.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace dray::app {
namespace {

constexpr auto faults = std::to_array<FaultInfo>({
    {Fault::config_unreadable, "scheduler-config-unreadable",
     "kube-scheduler does not start with a configuration that it cannot read"},
    {Fault::node_sample, "scheduler-samples-nodes",
     "in clusters of 100 nodes or more the extender is shown a sample of the feasible nodes, and "
     "the reserved node may not be in it"},
    {Fault::plugin_on, "scheduler-allocates-devices",
     "the in-tree plugin and dray would both choose devices, and the API server accepts one device "
     "in two claims"},
    {Fault::plugin_off, "scheduler-plugin-off",
     "in mode advise the in-tree plugin allocates; without it no claim gets devices"},
    {Fault::several_profiles, "scheduler-several-profiles",
     "extenders are shared by all profiles of a process: dray would filter and bind pods that are "
     "not its own"},
    {Fault::profile_missing, "scheduler-name-unknown",
     "pods of this scheduler name wait for ever: no profile takes them"},
    {Fault::verb_missing, "extender-verb-missing",
     "what is not asked of dray is decided without it: pods would be placed or bound without their "
     "devices"},
    {Fault::verb_unwanted, "extender-verb-unwanted",
     "in mode advise kube-scheduler binds; dray would allocate beside the in-tree plugin"},
    {Fault::two_binders, "extender-two-binders",
     "kube-scheduler takes at most one extender that binds and does not start"},
    {Fault::extender_ignorable, "extender-ignorable",
     "when dray does not answer, kube-scheduler goes on without it and binds pods whose claims are "
     "not allocated"},
    {Fault::managed_resources, "extender-managed-resources",
     "kube-scheduler looks at container resources alone: pods with claims would not come to dray"},
    {Fault::sends_nodes, "extender-sends-nodes",
     "a request with whole Nodes is an autoscaler's dry run to dray: nothing is reserved, and "
     "every "
     "call costs megabytes"},
    {Fault::timeout_short, "extender-timeout-short",
     "a call that ends early fails the pod's attempt; bind calls of a gang stay open until its "
     "last "
     "member has come"},
    {Fault::tls_unverified, "extender-tls-unverified",
     "kube-scheduler does not check whom it talks to: anybody in between can answer for dray"},
    {Fault::plain_http, "extender-plain-http",
     "calls go over the network unencrypted, and anybody may call"},
    {Fault::weight_small, "extender-weight",
     "the in-tree plugins' scores add up to 1,400 and would outweigh dray's order of nodes"},
    {Fault::scheduler_slow, "scheduler-client-slow",
     "kube-scheduler's own client holds its writes back; pods are bound no faster than that"},
    {Fault::scheduler_version, "scheduler-version",
     "Kubernetes supports a kube-scheduler of the API server's minor version or the one before"},
    {Fault::right_missing, "right-missing",
     "the API server refuses dray what it needs this for, and pods wait"},
    {Fault::account_missing, "account-missing", "dray's pods do not start without their account"},
    {Fault::lease_missing, "lease-missing",
     "until there is a Lease the policy dray-epoch fences no former leader"},
    {Fault::exclusion_missing, "exclusion-missing",
     "without the ConfigMap the policies refuse nothing: another scheduler may give away a device "
     "that dray has given"},
    {Fault::policy_missing, "policy-missing",
     "what this admission policy does or refuses is not done or refused"},
    {Fault::policy_altered, "policy-altered",
     "dray counts on these policies as they are shipped: exclusion, fence, gate and marks"},
    {Fault::policy_unbound, "policy-unbound", "an admission policy acts by its binding alone"},
    {Fault::flow_missing, "flow-control-missing",
     "without a priority level of their own dray's binds and Lease wait behind everybody's "
     "requests"},
    {Fault::flow_altered, "flow-control-altered",
     "dray's binds and Lease may wait behind everybody's requests"},
    {Fault::policy_file, "policy-file-invalid",
     "dray does not take a policy with an error: it keeps the last good one, and does not start "
     "without one"},
    {Fault::policy_cluster, "policy-names-nothing",
     "a rule without its DeviceClass or node resource counts nothing, and quotas and limits of "
     "that "
     "resource do not apply"},
    {Fault::schedulers_unlisted, "schedulers-unlisted",
     "with drivers: \"*\" pods with claims are refused for schedulers that the ConfigMap does not "
     "name"},
    {Fault::other_unlisted, "other-dray-unlisted",
     "this policy refuses what another dray of the cluster writes on its own pods and claims"},
    {Fault::driver_open, "driver-not-exclusive",
     "another scheduler's allocation of these devices is not refused; the API server accepts one "
     "device in two claims"},
    {Fault::plugin_refused, "plugin-refused",
     "in mode advise kube-scheduler's plugin allocates, and the policies for mode allocate refuse "
     "it"},
    {Fault::driver_shared, "driver-shared",
     "two allocators on one driver can give one device to two pods"},
    {Fault::leader_missing, "leader-missing", "nobody plans, lifts or binds: pods for dray wait"},
    {Fault::clock_here, "clock-local",
     "times in this report are wrong by as much; on a node, Leases and tokens suffer"},
    {Fault::clock_of_holder, "clock-of-holder",
     "a Lease that was renewed in the future is taken for valid long after its holder is gone"},
    {Fault::api_server_old, "api-server-old",
     "the gate and the claim's finalizer are put on by MutatingAdmissionPolicy v1, of Kubernetes "
     "1.36 and later"},
    {Fault::kubelet_old, "kubelet-old",
     "the kubelet prepares claims of resource.k8s.io/v1 from Kubernetes 1.34 on"},
    {Fault::gate_differs, "feature-gate-differs",
     "dray would allocate by other rules than the API server, the kubelet and drivers know"},
    {Fault::controller_slow, "controller-manager-slow",
     "claims are made from templates, and given back, no faster than this client may ask"},
    {Fault::controller_off, "claim-controller-off",
     "no claim is made from a template, given back or deleted without this controller"},
    {Fault::pool_incomplete, "pool-incomplete",
     "nothing is allocated from a pool whose slices are not all there"},
    {Fault::pool_old_slices, "pool-old-slices",
     "slices of an older generation are dead weight, or the driver lost devices it still has"},
    {Fault::pool_device_twice, "pool-device-twice",
     "a pool with two devices of one name is invalid: nothing is allocated from it"},
    {Fault::object_unreadable, "object-unreadable",
     "dray quarantines what it cannot read: it counts its devices as used and decides nothing for "
     "it"},
    {Fault::claim_repair, "claim-needs-repair", "devices are given twice, or kept from everybody"},
    {Fault::gate_foreign, "gate-without-scheduler",
     "dray lifts the gate of its own pods alone: this pod waits for ever"},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (std::to_underlying(faults[i].fault) != i) return false;
  }
  return faults.size() == std::to_underlying(Fault::gate_foreign) + 1U;
}
static_assert(in_order());

}  // namespace

std::span<const FaultInfo> fault_table() {
  return faults;
}

const FaultInfo& fault_info(Fault fault) {
  return faults[std::to_underlying(fault)];
}

void sort_findings(Findings& findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::tie(finding.fault, finding.object, finding.what);
  });
}

}  // namespace dray::app
