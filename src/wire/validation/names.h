#pragma once

#include <cstddef>
#include <string_view>

#include "wire/validation/field.h"

namespace dray::wire {

// Kubernetes' rules for names, with their texts; where a name may not be absent, that is an error.

/// One of cel::named_formats(), such as `dns1123Label`.
void check_format(std::string_view format, const Field& field, std::string_view text,
                  FieldErrors& errors);
inline void check_label_name(const Field& field, FieldErrors& errors) {
  check_format("dns1123Label", field, field.text(), errors);
}
inline void check_subdomain(const Field& field, FieldErrors& errors) {
  check_format("dns1123Subdomain", field, field.text(), errors);
}
inline void check_label_key(const Field& field, FieldErrors& errors) {
  check_format("qualifiedName", field, field.text(), errors);
}
inline void check_label_value(const Field& field, FieldErrors& errors) {
  check_format("labelValue", field, field.text(), errors);
}
/// Of a DRA driver: upper case is allowed.
void check_driver_name(const Field& field, std::string_view name, FieldErrors& errors);
void check_pool_name(const Field& field, FieldErrors& errors);
/// `model` or `example.com/model`, of an attribute or a capacity.
void check_qualified_name(const Field& field, std::string_view name, FieldErrors& errors);
/// With the domain.
void check_fully_qualified_name(const Field& field, FieldErrors& errors);
/// Of semver.org 2.0.0.
[[nodiscard]] bool is_semver(std::string_view text);
/// Of a resource that a class may stand behind.
[[nodiscard]] bool is_extended_resource_name(std::string_view name);

inline constexpr std::size_t max_driver_name = 63;
inline constexpr std::size_t max_pool_name = 253;
inline constexpr std::size_t max_identifier = 32;

}  // namespace dray::wire
