#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/meta.h"
#include "dray/model/node.h"
#include "dray/model/node_allocatable.h"

namespace dray {

/// core/v1 Toleration of node taints.
struct NodeToleration {
  std::string key;
  std::string op;  ///< Exists, Equal, "" (Equal); Lt and Gt as written
  std::string value;
  std::string effect;
  std::optional<std::int64_t> toleration_seconds;

  bool operator==(const NodeToleration&) const = default;
};

/// A port of the node that a container takes.
struct HostPort {
  std::string protocol;  ///< TCP where absent
  std::string ip;        ///< 0.0.0.0 where absent
  std::int32_t port = 0;

  bool operator==(const HostPort&) const = default;
};

/// spec.containers[], as far as scheduling reads it.
struct Container {
  std::string name;
  ResourceList requests;
  ResourceList limits;
  std::vector<std::string> claims;  ///< resources.claims[].name: entries of spec.resourceClaims
  bool restart_always = false;      ///< of an init container: a sidecar
  std::vector<HostPort> host_ports;

  bool operator==(const Container&) const = default;
};

/// spec.resourceClaims[]: a claim by name or by template.
struct PodResourceClaim {
  std::string name;
  std::optional<std::string> claim_name;
  std::optional<std::string> template_name;

  bool operator==(const PodResourceClaim&) const = default;
};

/// status.resourceClaimStatuses[]: the claim made for one of spec.resourceClaims; a null name means
/// that none is needed.
struct PodResourceClaimStatus {
  std::string name;
  std::optional<std::string> claim_name;

  bool operator==(const PodResourceClaimStatus&) const = default;
};

/// status.extendedResourceClaimStatus.requestMappings[]: which request of the claim serves a
/// container's extended resource (KEP-5004).
struct ExtendedResourceMapping {
  std::string container;
  std::string resource;
  std::string request;

  bool operator==(const ExtendedResourceMapping&) const = default;
};

/// The part of a pod's spec that decides which nodes it fits, its claims apart: the planner takes
/// pods with equal requirements for one shape. A field that a filter reads belongs here.
struct PodRequirements {
  Labels node_selector;
  /// spec.affinity.nodeAffinity.requiredDuringScheduling…: what is preferred bars no node.
  std::optional<NodeSelector> required_node_affinity;
  std::vector<NodeToleration> tolerations;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  ResourceList overhead;
  /// spec.resources.requests: in place of the containers'.
  std::optional<ResourceList> pod_requests;
  std::optional<ResourceList> pod_limits;
  bool host_network = false;

  bool operator==(const PodRequirements&) const = default;
};

/// core/v1 Pod, as far as dray reads it.
struct Pod : PodRequirements {
  ObjectMeta meta;

  std::string scheduler_name;
  std::string service_account;  ///< its name
  std::optional<NodeName> node_name;
  std::vector<std::string> scheduling_gates;
  std::int32_t priority = 0;
  std::string priority_class;
  std::string preemption_policy;
  std::vector<PodResourceClaim> resource_claims;
  std::optional<std::string> pod_group;  ///< spec.schedulingGroup.podGroupName
  /// spec.activeDeadlineSeconds: the kubelet ends the pod so long after its start at the latest.
  std::optional<std::int64_t> active_deadline_seconds;

  std::string phase;               ///< Pending, Running, Succeeded, Failed, Unknown
  std::optional<Time> start_time;  ///< status.startTime: the kubelet has seen the pod
  std::vector<Condition> conditions;
  std::optional<NodeName> nominated_node;
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  std::optional<std::string> extended_resource_claim;  ///< status.extendedResourceClaimStatus
  std::vector<NodeAllocatableClaim> node_allocatable_claims;

  /// Its namespace and name.
  [[nodiscard]] PodKey key() const { return {meta.namespace_name, meta.name}; }
  /// Succeeded or Failed: it holds nothing any more.
  [[nodiscard]] bool finished() const { return phase == "Succeeded" || phase == "Failed"; }
  /// How long it runs at the most: it is ended then, whatever it does. Nothing: nobody ends it.
  [[nodiscard]] std::optional<Duration> longest_run() const {
    if (!active_deadline_seconds) return std::nullopt;
    return std::chrono::seconds(std::clamp<std::int64_t>(*active_deadline_seconds, 0, longest));
  }
  /// Deadlines beyond that are taken for it: a hundred years.
  static constexpr std::int64_t longest = std::int64_t{100} * 365 * 24 * 3600;
  bool operator==(const Pod&) const = default;
};

}  // namespace dray
