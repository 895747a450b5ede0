#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/validation/field.h"

namespace dray::wire {

struct ObjectSchema;

/// What JSON a field of the API's types takes.
struct ValueSchema {
  enum class Kind : std::uint8_t { text, integer, boolean, quantity, time, raw, object, ignored };
  enum class Many : std::uint8_t { one, list, map };

  Kind kind = Kind::text;
  Many many = Many::one;
  const ObjectSchema* object = nullptr;  ///< of Kind::object
};

struct FieldSchema {
  std::string_view name;
  ValueSchema value;
};

/// The fields of one of the API's types (k8s.io/api/resource/v1/types.go).
struct ObjectSchema {
  std::string_view name;  ///< in Go: `ExactDeviceRequest`
  std::span<const FieldSchema> fields;
};

namespace api_types {

/// A kind of resource.k8s.io/v1; null for others.
[[nodiscard]] const ObjectSchema* device_kind(std::string_view kind);
/// An entry of a pod's spec.resourceClaims, and one of a container's resources.claims.
[[nodiscard]] const ObjectSchema& pod_resource_claim();
[[nodiscard]] const ObjectSchema& container_resource_claim();

}  // namespace api_types

/// Decodes strictly, as the API server does for kubectl: unknown fields, fields set twice, and
/// values of a wrong type.
void check_schema(const Field& field, const ObjectSchema& schema, FieldErrors& errors);

}  // namespace dray::wire
