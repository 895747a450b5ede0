#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dray/alloc/features.h"
#include "wire/validation/field.h"

namespace dray::wire {

/// What the API server would know beside the object.
struct ValidationOptions {
  /// It drops fields whose gate is off before it validates. A server of 1.37 has
  /// DRAFractionalCapacityRange only with --min-compatibility-version=1.37.
  alloc::Features features = {.fractional_capacity_range = false};
  bool partition_type = false;  ///< the gate DRAPartitionableDevicesType
  /// Namespaces that are known, and whether they allow admin access (the label
  /// resource.kubernetes.io/admin-access); nothing is said of others.
  std::map<std::string, bool, std::less<>> namespaces = {};
};

struct Validated {
  std::vector<FieldError> errors;
  std::size_t expressions = 0;  ///< CEL expressions that were compiled
};

/// Which type an object is of.
struct ObjectType {
  std::string_view version;  ///< apiVersion
  std::string_view kind;
};

/// What the API server of Kubernetes 1.37 has against creating the object: strict decoding as for
/// kubectl, then pkg/apis/resource/validation. It validates ResourceClaim, ResourceClaimTemplate,
/// DeviceClass, ResourceSlice and DeviceTaintRule of resource.k8s.io/v1, and what pods and pod
/// templates say of claims; of other versions of these, or of none, the CEL expressions. `text` is
/// what the object was read from, for places in expressions. Nothing for other kinds.
[[nodiscard]] std::optional<Validated> validate(const ObjectType& type, const ConfigNode& object,
                                                std::string_view text,
                                                const ValidationOptions& options = {});

}  // namespace dray::wire
