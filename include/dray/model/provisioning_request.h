#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dray/model/meta.h"

namespace dray {

/// Pods of one kind that a ProvisioningRequest asks nodes for.
struct ProvisionedPods {
  std::string pod_template;  ///< a PodTemplate of the same namespace
  std::int32_t count = 0;

  bool operator==(const ProvisionedPods&) const = default;
};

/// ProvisioningRequest of autoscaling.x-k8s.io/v1: asks a cluster autoscaler for nodes for pods,
/// all or none. Its specification cannot be changed.
struct ProvisioningRequest {
  ObjectMeta meta;
  std::vector<ProvisionedPods> pod_sets;
  std::string class_name;  ///< which way of the autoscaler's it is: `check-capacity.…`
  std::map<std::string, std::string, std::less<>> parameters;  ///< of that class
  std::vector<Condition> conditions;

  bool operator==(const ProvisioningRequest&) const = default;

  /// Its condition of that type, if it is True; else null.
  [[nodiscard]] const Condition* condition(std::string_view type) const {
    for (const auto& each : conditions) {
      if (each.type == type && each.status == "True") return &each;
    }
    return nullptr;
  }

  /// The fields below its metadata, as the API names them: what is read and what is written.
  static void describe(auto& io, auto& request) {
    io.object("spec", [&](auto& spec) {
      spec.items("podSets", request.pod_sets, [](auto& item, auto& pods) {
        item.object("podTemplateRef",
                    [&](auto& reference) { reference.required("name", pods.pod_template); });
        item.required("count", pods.count);
      });
      spec.required("provisioningClassName", request.class_name);
      spec.field("parameters", request.parameters);
    });
    io.object("status", [&](auto& status) { status.field("conditions", request.conditions); });
  }
};

/// How many kinds of pods one request may have.
inline constexpr std::size_t max_pod_sets = 32;

// Types of its conditions.
inline constexpr std::string_view provisioned_condition = "Provisioned";
inline constexpr std::string_view failed_condition = "Failed";
inline constexpr std::string_view booking_expired_condition = "BookingExpired";
inline constexpr std::string_view capacity_revoked_condition = "CapacityRevoked";

// Annotations of pods that are to use what a request has brought.
inline constexpr const char* consume_request_annotation =
    "autoscaling.x-k8s.io/consume-provisioning-request";
inline constexpr const char* provisioning_class_annotation =
    "autoscaling.x-k8s.io/provisioning-class-name";

}  // namespace dray
