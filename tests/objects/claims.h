#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dray/model/claim.h"
#include "dray/model/placement.h"
#include "dray/model/pod.h"
#include "tests/objects/devices.h"

namespace dray::testing {

inline DeviceRequestSpec exactly(std::int64_t count, const std::string& class_name = "any") {
  DeviceRequestSpec spec;
  spec.device_class = ClassName(class_name);
  spec.allocation_mode = "ExactCount";
  spec.count = count;
  return spec;
}

inline DeviceRequest request(const std::string& name, DeviceRequestSpec spec) {
  DeviceRequest made;
  made.name = name;
  made.exactly = std::move(spec);
  return made;
}

/// A claim in namespace "default".
inline ResourceClaim make_claim(const std::string& name, std::vector<DeviceRequest> requests) {
  ResourceClaim claim;
  claim.meta = default_meta(name, "10");
  claim.spec.requests = std::move(requests);
  return claim;
}

/// Asks for nothing.
inline ResourceClaim make_claim(const std::string& name) {
  return make_claim(name, std::vector<DeviceRequest>{});
}

/// For devices of class "gpu", made for pod `owner` if that is named.
inline ResourceClaim make_claim(const std::string& name, std::int64_t gpus,
                                const std::string& owner = {}) {
  auto claim = make_claim(name, {request("gpu", exactly(gpus, "gpu"))});
  if (!owner.empty()) claim.meta.owners.push_back(owner_pod(owner));
  return claim;
}

inline DeviceConstraint match(std::string attribute, std::vector<std::string> requests = {}) {
  return {.requests = std::move(requests),
          .kind = ConstraintKind::match_attribute,
          .attribute = std::move(attribute)};
}

inline DeviceConstraint distinct(std::string attribute, std::vector<std::string> requests = {}) {
  return {.requests = std::move(requests),
          .kind = ConstraintKind::distinct_attribute,
          .attribute = std::move(attribute)};
}

inline ResourceClaimTemplate make_template(const std::string& name,
                                           std::vector<DeviceRequest> requests) {
  ResourceClaimTemplate made;
  made.meta = default_meta(name);
  made.spec.requests = std::move(requests);
  return made;
}

inline AllocatedDevice allocated(DeviceId id, const std::string& request = "gpu") {
  AllocatedDevice made;
  made.request = request;
  made.device = std::move(id);
  return made;
}

inline AllocationResult allocation(std::vector<DeviceId> devices,
                                   const std::string& request = "gpu") {
  AllocationResult made;
  for (auto& id : devices) made.devices.push_back(allocated(std::move(id), request));
  return made;
}

/// A pod in a claim's status.reservedFor.
inline ClaimConsumer consumer(const std::string& pod, const Uid& uid) {
  return {.api_group = {}, .resource = "pods", .name = pod, .uid = uid};
}

inline Placement placement(const Pod& pod, const std::string& node_name,
                           std::vector<std::pair<ResourceClaim, AllocationResult>> claims = {}) {
  Placement made{
      .pod = pod.key(), .pod_uid = pod.meta.uid, .node = NodeName(node_name), .claims = {}};
  for (auto& [claim, result] : claims) {
    made.claims.push_back({.claim = claim.key(),
                           .claim_uid = claim.meta.uid,
                           .allocation = std::move(result),
                           .already_allocated = false});
  }
  return made;
}

}  // namespace dray::testing
