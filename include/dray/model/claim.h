#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/quantity.h"
#include "dray/model/device.h"
#include "dray/model/meta.h"
#include "dray/model/node.h"

// resource.k8s.io/v1: what users ask for and what they got. k8s.io/api/resource/v1/types.go.

namespace dray {

/// One selector: a CEL expression; nothing where the selector is of a kind that dray does not know.
struct DeviceSelector {
  std::optional<std::string> cel;

  bool operator==(const DeviceSelector&) const = default;
};

/// Opaque driver configuration: the parameters are carried as the JSON text they were written in.
struct OpaqueConfig {
  DriverName driver;
  std::string parameters;

  bool operator==(const OpaqueConfig&) const = default;
};

/// Kind of device that requests name: selectors and configuration, cluster-wide.
struct DeviceClass {
  ObjectMeta meta;
  std::vector<DeviceSelector> selectors;
  std::vector<std::optional<OpaqueConfig>> config;
  std::string extended_resource_name;

  bool operator==(const DeviceClass&) const = default;

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& device_class) {
    io.object("spec", [&](auto& spec) {
      spec.field("selectors", device_class.selectors);
      spec.items("config", device_class.config,
                 [](auto& item, auto& config) { item.field("opaque", config); });
      spec.field("extendedResourceName", device_class.extended_resource_name);
    });
  }
};

/// Operator Exists or Equal ("" is Equal); an empty key means all keys, an empty effect all
/// effects.
struct DeviceToleration {
  std::string key;
  std::string op;
  std::string value;
  std::string effect;
  std::optional<std::int64_t> toleration_seconds;

  bool operator==(const DeviceToleration&) const = default;
};

/// An attribute computed by CEL (KEP-6080, alpha).
struct DerivedAttribute {
  std::string name;
  std::string expression;

  bool operator==(const DerivedAttribute&) const = default;
};

/// An `exactly` request or one alternative (subrequest) of `firstAvailable`: their fields are the
/// same, but that a subrequest has no admin access.
struct DeviceRequestSpec {
  std::string name;  ///< of the subrequest; empty for `exactly`, which bears the request's name
  ClassName device_class;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;  ///< ExactCount or All; "" before defaulting
  std::int64_t count = 0;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  Counters capacity_requests;  ///< capacity.requests
  bool has_capacity = false;   ///< `capacity` is set at all
  std::vector<DerivedAttribute> derived_attributes;

  bool operator==(const DeviceRequestSpec&) const = default;
};

/// What a claim asks for under one name: exactly this, or the first of these that can be had.
struct DeviceRequest {
  std::string name;
  std::optional<DeviceRequestSpec> exactly;
  std::vector<DeviceRequestSpec> first_available;

  bool operator==(const DeviceRequest&) const = default;
};

/// What a constraint wants of the values that the devices have of its attribute.
enum class ConstraintKind : std::uint8_t {
  unknown,             ///< to dray: refuses the claim
  match_attribute,     ///< all the same
  distinct_attribute,  ///< no two the same
};

/// The field of DeviceConstraint that holds the attribute of each kind. Where an object has
/// several, upstream looks at the first of them alone.
struct ConstraintField {
  ConstraintKind kind;
  std::string_view name;
};
inline constexpr std::array constraint_fields{
    ConstraintField{ConstraintKind::match_attribute, "matchAttribute"},
    ConstraintField{ConstraintKind::distinct_attribute, "distinctAttribute"}};

/// A condition on the devices of several requests together.
struct DeviceConstraint {
  std::vector<std::string> requests;  ///< `req` or `req/sub`; empty: all
  ConstraintKind kind = ConstraintKind::unknown;
  std::string attribute;  ///< its full name, domain/name

  bool operator==(const DeviceConstraint&) const = default;
};

/// Configuration that goes to the drivers of some requests; empty `requests` means all.
struct ClaimConfig {
  std::vector<std::string> requests;
  std::optional<OpaqueConfig> opaque;

  bool operator==(const ClaimConfig&) const = default;
};

/// ResourceClaimSpec: devices only, there is nothing else in v1.
struct ClaimSpec {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<ClaimConfig> config;
  /// Why dray could not read the claim; then nothing else is here, and nothing is allocated for it.
  std::string unreadable;

  bool operator==(const ClaimSpec&) const = default;
};

/// DeviceRequestAllocationResult: one device of an allocation.
struct AllocatedDevice {
  std::string request;  ///< `req` or `req/sub`
  DeviceId device;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::optional<std::string> share_id;  ///< set for a share of a device (allowMultipleAllocations)
  Counters consumed_capacity;
  std::vector<std::string> skip_node_operations;

  bool operator==(const AllocatedDevice&) const = default;
};

/// Configuration as the allocation keeps it, with where it comes from.
struct AllocatedConfig {
  bool from_class = false;  ///< source FromClass, else FromClaim
  std::vector<std::string> requests;
  std::optional<OpaqueConfig> opaque;

  bool operator==(const AllocatedConfig&) const = default;
};

/// status.allocation.
struct AllocationResult {
  std::vector<AllocatedDevice> devices;
  std::vector<AllocatedConfig> config;
  std::optional<NodeSelector> node_selector;  ///< where the claim may be used; none: anywhere
  std::optional<Time> allocated;              ///< allocationTimestamp

  bool operator==(const AllocationResult&) const = default;
};

/// Whether two allocations name the same devices for the same requests (share ids included): what
/// an API round trip keeps, whatever else the server adds.
[[nodiscard]] bool same_devices(const AllocationResult& a, const AllocationResult& b);

/// One user of an allocated claim: a pod, or a PodGroup (apiGroup scheduling.k8s.io).
struct ClaimConsumer {
  std::string api_group;
  std::string resource;
  std::string name;
  Uid uid;

  bool operator==(const ClaimConsumer&) const = default;
};

/// What a driver reports about an allocated device: dray reads the conditions (binding conditions).
struct DeviceStatus {
  DeviceId device;
  std::optional<std::string> share_id;
  std::vector<Condition> conditions;

  bool operator==(const DeviceStatus&) const = default;
};

/// A claim with its status: what was given to it, and to whom.
struct ResourceClaim {
  ObjectMeta meta;
  ClaimSpec spec;
  std::optional<AllocationResult> allocation;
  std::vector<ClaimConsumer> reserved_for;
  std::vector<DeviceStatus> device_statuses;

  /// Its namespace and name.
  [[nodiscard]] ClaimKey key() const { return {meta.namespace_name, meta.name}; }
  bool operator==(const ResourceClaim&) const = default;
};

/// What claims are made from, one a pod.
struct ResourceClaimTemplate {
  ObjectMeta meta;
  Labels claim_labels;
  Labels claim_annotations;
  ClaimSpec spec;

  bool operator==(const ResourceClaimTemplate&) const = default;
};

/// metadata.finalizers entry without which the claim controller never clears an allocation.
inline constexpr const char* claim_finalizer = "resource.kubernetes.io/delete-protection";

}  // namespace dray
