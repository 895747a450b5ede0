#include "sim/api_rules.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "dray/model/claim_limits.h"
#include "sim/pod_rules.h"

namespace dray::sim {
namespace {

/// `request` or `request/subrequest` of the claim.
bool names_request(const ClaimSpec& spec, std::string_view name) {
  const auto slash = name.find('/');
  const auto request =
      std::ranges::find(spec.requests, name.substr(0, slash), &DeviceRequest::name);
  if (request == spec.requests.end()) return false;
  if (slash == std::string_view::npos) return true;
  return std::ranges::any_of(request->first_available,
                             [&](const auto& sub) { return sub.name == name.substr(slash + 1); });
}

Result<void> validate_allocation(const AllocationResult& allocation, const ClaimSpec& spec) {
  if (std::cmp_greater(allocation.devices.size(), max_results)) {
    return fail(ErrorCode::invalid, "status.allocation.devices.results: too many items");
  }
  for (const auto& result : allocation.devices) {
    if (!names_request(spec, result.request)) {
      return fail(ErrorCode::invalid,
                  "status.allocation.devices.results: request " + result.request +
                      ": must be the name of a request in the claim or the name of a request and "
                      "a subrequest separated by '/'");
    }
    const auto& id = result.device;
    if (id.driver.get().empty() || id.pool.get().empty() || id.device.get().empty()) {
      return fail(ErrorCode::invalid,
                  "status.allocation.devices.results: driver, pool and device are required");
    }
  }
  if (allocation.node_selector && allocation.node_selector->terms.empty()) {
    return fail(ErrorCode::invalid,
                "status.allocation.nodeSelector: must have at least one node selector term");
  }
  return {};
}

Result<void> validate_consumers(const ResourceClaim& next, const ResourceClaim& old) {
  if (next.reserved_for.size() > max_consumers) {
    return fail(ErrorCode::invalid, "status.reservedFor: must have at most 256 items");
  }
  std::set<Uid> uids;
  for (const auto& consumer : next.reserved_for) {
    if (consumer.resource.empty() || consumer.name.empty() || consumer.uid.get().empty()) {
      return fail(ErrorCode::invalid, "status.reservedFor: resource, name and uid are required");
    }
    if (!uids.insert(consumer.uid).second) {
      return fail(ErrorCode::invalid, "status.reservedFor: duplicate value " + consumer.uid.get());
    }
  }
  if (next.reserved_for.empty()) return {};
  if (!next.allocation) {
    return fail(ErrorCode::invalid,
                "status.reservedFor: may not be specified when `allocated` is not set");
  }
  if (!old.meta.deleted) return {};
  const bool added = std::ranges::any_of(next.reserved_for, [&](const auto& consumer) {
    return std::ranges::find(old.reserved_for, consumer) == old.reserved_for.end();
  });
  if (added) {
    return fail(ErrorCode::invalid,
                "status.reservedFor: new entries may not be added while `deallocationRequested` or "
                "`deletionTimestamp` are set");
  }
  return {};
}

bool has_device(const std::optional<AllocationResult>& allocation, const DeviceStatus& status) {
  return allocation && std::ranges::any_of(allocation->devices, [&](const auto& result) {
           return result.device == status.device && result.share_id == status.share_id;
         });
}

/// Drivers' reports on devices that the claim no longer has end with the allocation.
void drop_deallocated_devices(ResourceClaim& next, const ResourceClaim& old) {
  std::erase_if(next.device_statuses, [&](const DeviceStatus& status) {
    return has_device(old.allocation, status) && !has_device(next.allocation, status);
  });
}

Result<void> validate_claim_status(const ResourceClaim& next, const ResourceClaim& old) {
  if (auto valid = validate_consumers(next, old); !valid) return valid;
  for (const auto& status : next.device_statuses) {
    if (!has_device(next.allocation, status)) {
      return fail(ErrorCode::invalid, "status.devices: must be an allocated device in the claim");
    }
  }
  if (!next.allocation) return {};
  if (!old.allocation) return validate_allocation(*next.allocation, next.spec);
  if (*next.allocation != *old.allocation) {
    return fail(ErrorCode::invalid, "status.allocation: field is immutable");
  }
  return {};
}

Result<void> update_claim(ResourceClaim& next, const ResourceClaim& old, Endpoint endpoint) {
  if (endpoint == Endpoint::main) {
    next.allocation = old.allocation;
    next.reserved_for = old.reserved_for;
    next.device_statuses = old.device_statuses;
    if (next.spec != old.spec) return fail(ErrorCode::invalid, "spec: field is immutable");
    return {};
  }
  auto meta = old.meta;
  meta.resource_version = next.meta.resource_version;
  next.meta = std::move(meta);
  next.spec = old.spec;
  drop_deallocated_devices(next, old);
  return validate_claim_status(next, old);
}

Result<void> update_node(Node& next, const Node& old, Endpoint endpoint) {
  if (endpoint == Endpoint::main) {
    next.allocatable = old.allocatable;
    next.conditions = old.conditions;
    next.declared_features = old.declared_features;
  } else {
    next.unschedulable = old.unschedulable;
    next.taints = old.taints;
  }
  return {};
}

/// The disruption controller alone says what a budget still allows.
Result<void> update_budget(PodDisruptionBudget& next, const PodDisruptionBudget& old,
                           Endpoint endpoint) {
  if (endpoint == Endpoint::main) {
    next.disruptions_allowed = old.disruptions_allowed;
  } else {
    next.selector = old.selector;
  }
  return {};
}

Result<void> update_slice(const ResourceSlice& next, const ResourceSlice& old) {
  if (next.pool != old.pool) return fail(ErrorCode::invalid, "spec.pool.name: field is immutable");
  if (next.driver != old.driver) return fail(ErrorCode::invalid, "spec.driver: field is immutable");
  if (next.scope.node_name != old.scope.node_name) {
    return fail(ErrorCode::invalid, "spec.nodeName: field is immutable");
  }
  return {};
}

Result<void> update_template(const ResourceClaimTemplate& next, const ResourceClaimTemplate& old) {
  if (next.spec != old.spec || next.claim_labels != old.claim_labels ||
      next.claim_annotations != old.claim_annotations) {
    return fail(ErrorCode::invalid, "spec: field is immutable");
  }
  return {};
}

Result<void> update_priority(const PriorityClass& next, const PriorityClass& old) {
  if (next.value != old.value) {
    return fail(ErrorCode::invalid, "value: may not be changed in an update");
  }
  return {};
}

Result<void> update_kind(KubeObject& next, const KubeObject& old, Endpoint endpoint) {
  switch (kind_of(next)) {
    case Kind::pod:
      return prepare_pod_update(std::get<Pod>(next), std::get<Pod>(old), endpoint);
    case Kind::resource_claim:
      return update_claim(std::get<ResourceClaim>(next), std::get<ResourceClaim>(old), endpoint);
    case Kind::node:
      return update_node(std::get<Node>(next), std::get<Node>(old), endpoint);
    case Kind::resource_slice:
      return update_slice(std::get<ResourceSlice>(next), std::get<ResourceSlice>(old));
    case Kind::pod_disruption_budget:
      return update_budget(std::get<PodDisruptionBudget>(next), std::get<PodDisruptionBudget>(old),
                           endpoint);
    case Kind::priority_class:
      return update_priority(std::get<PriorityClass>(next), std::get<PriorityClass>(old));
    case Kind::resource_claim_template:
      return update_template(std::get<ResourceClaimTemplate>(next),
                             std::get<ResourceClaimTemplate>(old));
    default:
      return {};
  }
}

}  // namespace

Result<void> prepare_create(KubeObject& object, const ApiServerOptions& options, Time now) {
  if (auto* pod = std::get_if<Pod>(&object)) return prepare_pod_create(*pod, options, now);
  if (auto* budget = std::get_if<PodDisruptionBudget>(&object)) budget->disruptions_allowed = 0;
  if (auto* claim = std::get_if<ResourceClaim>(&object)) {
    claim->allocation.reset();
    claim->reserved_for.clear();
    claim->device_statuses.clear();
    auto& finalizers = claim->meta.finalizers;
    if (options.protect_claims &&
        std::ranges::find(finalizers, claim_finalizer) == finalizers.end()) {
      finalizers.emplace_back(claim_finalizer);
    }
  }
  return {};
}

Result<void> prepare_update(KubeObject& next, const KubeObject& old, Endpoint endpoint) {
  auto& meta = meta_of(next);
  const auto& before = meta_of(old);
  meta.created = before.created;
  if (before.deleted || endpoint == Endpoint::status) meta.deleted = before.deleted;
  if (auto valid = update_kind(next, old, endpoint); !valid) return valid;
  if (meta.deleted != before.deleted) {
    return fail(ErrorCode::invalid, "metadata.deletionTimestamp: field is immutable");
  }
  if (!before.deleted) return {};
  for (const auto& finalizer : meta.finalizers) {
    if (std::ranges::find(before.finalizers, finalizer) == before.finalizers.end()) {
      return fail(ErrorCode::invalid,
                  "metadata.finalizers: no new finalizers can be added if the object is being "
                  "deleted, found new finalizers " +
                      finalizer);
    }
  }
  return {};
}

void default_taint_times(KubeObject& object, const KubeObject* old, Time now) {
  const auto set = [&](DeviceTaint& taint) {
    if (!taint.time_added) taint.time_added = api_time(now);
  };
  if (auto* slice = std::get_if<ResourceSlice>(&object)) {
    for (auto& device : slice->devices) std::ranges::for_each(device.taints, set);
  }
  auto* rule = std::get_if<DeviceTaintRule>(&object);
  if (rule == nullptr) return;
  set(rule->taint);
  if (old == nullptr) return;
  // A rule's time is that of its effect, unless the client says another.
  const auto& before = std::get<DeviceTaintRule>(*old).taint;
  if (rule->taint.effect != before.effect && rule->taint.time_added == before.time_added) {
    rule->taint.time_added = api_time(now);
  }
}

bool allows_unconditional_update(Kind kind) {
  return kind != Kind::lease;
}
bool allows_create_on_update(Kind kind) {
  return kind == Kind::lease;
}

}  // namespace dray::sim
