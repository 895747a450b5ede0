#include "sim/pod_rules.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "dray/engine/share_wish.h"

namespace dray::sim {
namespace {

/// Copies what belongs to spec; the rest (metadata, status) stays.
void take_spec(Pod& to, const Pod& from) {
  to.scheduler_name = from.scheduler_name;
  to.node_name = from.node_name;
  to.scheduling_gates = from.scheduling_gates;
  to.priority = from.priority;
  to.priority_class = from.priority_class;
  to.preemption_policy = from.preemption_policy;
  to.node_selector = from.node_selector;
  to.required_node_affinity = from.required_node_affinity;
  to.tolerations = from.tolerations;
  to.init_containers = from.init_containers;
  to.containers = from.containers;
  to.overhead = from.overhead;
  to.pod_requests = from.pod_requests;
  to.pod_limits = from.pod_limits;
  to.resource_claims = from.resource_claims;
  to.pod_group = from.pod_group;
  to.host_network = from.host_network;
}

void take_status(Pod& to, const Pod& from) {
  to.phase = from.phase;
  to.conditions = from.conditions;
  to.nominated_node = from.nominated_node;
  to.resource_claim_statuses = from.resource_claim_statuses;
  to.node_allocatable_claims = from.node_allocatable_claims;
  to.extended_resource_claim = from.extended_resource_claim;
}

bool only_tolerations_added(const Pod& next, const Pod& old) {
  return std::ranges::all_of(old.tolerations, [&](NodeToleration want) {
    return std::ranges::any_of(next.tolerations, [&](const NodeToleration& have) {
      want.toleration_seconds = have.toleration_seconds;
      return want == have;
    });
  });
}

template <class T>
bool starts_with(const std::vector<T>& list, const std::vector<T>& prefix) {
  return list.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), list.begin(),
                    list.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
}

bool only_requirements_added(const NodeSelectorTerm& next, const NodeSelectorTerm& old) {
  if (old.match_expressions.empty() && old.match_fields.empty()) return next == old;
  return starts_with(next.match_expressions, old.match_expressions) &&
         starts_with(next.match_fields, old.match_fields);
}

/// A gated pod's node affinity may only become narrower.
Result<void> validate_affinity_change(const Pod& next, const Pod& old) {
  if (!old.required_node_affinity || old.required_node_affinity->terms.empty()) return {};
  const auto& before = old.required_node_affinity->terms;
  const auto after =
      next.required_node_affinity ? next.required_node_affinity->terms : decltype(before){};
  if (after.size() != before.size()) {
    return fail(ErrorCode::invalid,
                "spec.affinity.nodeAffinity: no additions/deletions to non-empty "
                "NodeSelectorTerms list are allowed");
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!only_requirements_added(after[i], before[i])) {
      return fail(ErrorCode::invalid,
                  "spec.affinity.nodeAffinity: only additions are allowed (no mutations or "
                  "deletions)");
    }
  }
  return {};
}

Result<void> validate_gated_pod_change(Pod& next, const Pod& old) {
  for (const auto& [key, value] : old.node_selector) {
    const auto found = next.node_selector.find(key);
    if (found == next.node_selector.end() || found->second != value) {
      return fail(ErrorCode::invalid,
                  "spec.nodeSelector: only additions are allowed (no mutations or deletions)");
    }
  }
  if (auto narrower = validate_affinity_change(next, old); !narrower) return narrower;
  next.node_selector = old.node_selector;
  next.required_node_affinity = old.required_node_affinity;
  return {};
}

/// `next` by value: what may change is put back, then the specs must be equal.
Result<void> validate_spec_change(Pod next, const Pod& old) {
  if (!only_tolerations_added(next, old)) {
    return fail(ErrorCode::invalid,
                "spec.tolerations: existing toleration can not be modified except its "
                "tolerationSeconds");
  }
  next.tolerations = old.tolerations;
  for (const auto& gate : next.scheduling_gates) {
    if (std::ranges::find(old.scheduling_gates, gate) == old.scheduling_gates.end()) {
      return fail(
          ErrorCode::invalid,
          "spec.schedulingGates: only deletion is allowed, but found new scheduling gate '" + gate +
              "'");
    }
  }
  next.scheduling_gates = old.scheduling_gates;
  if (!old.scheduling_gates.empty()) {
    if (auto valid = validate_gated_pod_change(next, old); !valid) return valid;
  }
  auto munged = old;
  take_spec(munged, next);
  if (munged != old) {
    return fail(ErrorCode::invalid,
                "spec: pod updates may not change fields other than schedulingGates, tolerations");
  }
  return {};
}

Result<void> validate_status(const Pod& next, const Pod& old) {
  if (old.node_name && next.nominated_node && next.nominated_node != old.nominated_node) {
    return fail(
        ErrorCode::invalid,
        "status.nominatedNodeName: may not be set on pods that are already bound to a node");
  }
  std::set<std::string_view> names;
  for (const auto& status : next.resource_claim_statuses) {
    const bool known = std::ranges::any_of(
        next.resource_claims, [&](const auto& claim) { return claim.name == status.name; });
    if (!known) {
      return fail(ErrorCode::invalid, "status.resourceClaimStatuses: " + status.name +
                                          ": must match the name of an entry in "
                                          "`spec.resourceClaims`");
    }
    if (!names.insert(status.name).second) {
      return fail(ErrorCode::invalid,
                  "status.resourceClaimStatuses: duplicate value " + status.name);
    }
  }
  return {};
}

}  // namespace

Result<void> prepare_pod_create(Pod& pod, const ApiServerOptions& options, Time now) {
  if (pod.scheduler_name.empty()) pod.scheduler_name = "default-scheduler";
  if (pod.preemption_policy.empty()) pod.preemption_policy = "PreemptLowerPriority";
  const bool gated =
      std::ranges::find(pod.scheduling_gates, options.gate) != pod.scheduling_gates.end();
  if (options.gate_pods && pod.scheduler_name == options.scheduler_name && !pod.node_name &&
      !gated) {
    pod.scheduling_gates.push_back(options.gate);
  }
  if (options.gate_pods && pod.scheduler_name == options.scheduler_name) {
    engine::add_share_entry(pod);
  }
  take_status(pod, Pod{});
  pod.phase = "Pending";
  if (!pod.scheduling_gates.empty()) {
    set_condition(pod.conditions,
                  {.type = "PodScheduled",
                   .status = "False",
                   .reason = "SchedulingGated",
                   .message = "Scheduling is blocked due to non-empty scheduling gates",
                   .last_transition = {}},
                  now);
  }
  std::set<std::string_view> gates;
  for (const auto& gate : pod.scheduling_gates) {
    if (!gates.insert(gate).second) {
      return fail(ErrorCode::invalid, "spec.schedulingGates: duplicate value " + gate);
    }
  }
  if (pod.node_name && !pod.scheduling_gates.empty()) {
    return fail(ErrorCode::invalid,
                "spec.nodeName: cannot be set until all schedulingGates have been cleared");
  }
  return {};
}

Result<void> prepare_pod_update(Pod& next, const Pod& old, Endpoint endpoint) {
  if (endpoint == Endpoint::main) {
    take_status(next, old);
    return validate_spec_change(next, old);
  }
  take_spec(next, old);
  next.meta.owners = old.meta.owners;
  if (next.resource_claim_statuses.empty()) {
    next.resource_claim_statuses = old.resource_claim_statuses;
  }
  if (!next.extended_resource_claim) next.extended_resource_claim = old.extended_resource_claim;
  return validate_status(next, old);
}

}  // namespace dray::sim
