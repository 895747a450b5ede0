#include "wire/validation/validate.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "wire/validation/context.h"
#include "wire/validation/schema.h"

namespace dray::wire {
namespace {

constexpr std::string_view group = "resource.k8s.io/";
constexpr std::string_view version = "resource.k8s.io/v1";

/// Where the kind has the spec of a pod; nothing: it has none.
std::optional<Field> pod_spec(std::string_view kind, const Field& object) {
  auto spec = object.child("spec");
  if (kind == "Pod") return spec;
  constexpr std::array templated{"Deployment", "StatefulSet", "DaemonSet",
                                 "ReplicaSet", "Job",         "ReplicationController"};
  for (const auto* each : templated) {
    if (kind == each) return spec.child("template").child("spec");
  }
  if (kind == "CronJob") {
    return spec.child("jobTemplate").child("spec").child("template").child("spec");
  }
  return std::nullopt;
}

void check_template(const Field& object, const ValidationContext& context) {
  check_namespaced_meta(object.child("metadata"), context.errors);
  const auto spec = object.child("spec");
  check_template_meta(spec.child("metadata"), context.errors);
  check_claim_spec(spec.child("spec"), context);
}

void check_values(std::string_view kind, const Field& object, const ValidationContext& context) {
  if (kind == "ResourceClaim") return check_claim(object, context);
  if (kind == "ResourceClaimTemplate") return check_template(object, context);
  if (kind == "DeviceClass") return check_device_class(object, context);
  if (kind == "ResourceSlice") return check_slice(object, context);
  if (kind == "DeviceTaintRule") return check_taint_rule(object, context);
}

/// Of a request or an alternative.
void check_wish_expressions(const Field& wish, const ValidationContext& context) {
  check_expressions_of(wish.child("selectors"), context);
  for (const auto& each : wish.child("derivedAttributes").items()) {
    const auto expression = each.child("expression");
    if (!expression.present()) continue;
    check_expression(expression, cel::Purpose::derived_attribute, context);
  }
}

/// Whatever the version: v1beta1 has the fields of `exactly` in the request itself.
void check_expressions(std::string_view kind, const Field& object,
                       const ValidationContext& context) {
  const auto spec = object.child("spec");
  if (kind == "DeviceClass") return check_expressions_of(spec.child("selectors"), context);
  const auto claim = kind == "ResourceClaimTemplate" ? spec.child("spec") : spec;
  for (const auto& request : claim.child("devices").child("requests").items()) {
    check_wish_expressions(request, context);
    check_wish_expressions(request.child("exactly"), context);
    for (const auto& each : request.child("firstAvailable").items()) {
      check_wish_expressions(each, context);
    }
  }
}

}  // namespace

std::optional<Validated> validate(const ObjectType& type, const ConfigNode& object,
                                  std::string_view text, const ValidationOptions& options) {
  Validated result;
  FieldErrors errors;
  const ValidationContext context{text, options, errors, result.expressions};
  const Field root(object);
  const auto* schema = api_types::device_kind(type.kind);
  if (schema == nullptr || !(type.version.empty() || type.version.starts_with(group))) {
    const auto spec = pod_spec(type.kind, root);
    if (!spec) return std::nullopt;
    check_pod_claims(*spec, context);
  } else if (type.version != version) {
    check_expressions(type.kind, root, context);
  } else {
    check_schema(root, *schema, errors);
    // What cannot be decoded is not validated.
    if (errors.empty()) check_values(type.kind, root, context);
  }
  result.errors = errors.take();
  return result;
}

}  // namespace dray::wire
