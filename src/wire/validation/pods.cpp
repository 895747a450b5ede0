#include <algorithm>
#include <string>

#include "wire/validation/context.h"
#include "wire/validation/names.h"
#include "wire/validation/schema.h"

// Source: validatePodResourceClaims and validateResourceClaimNames of
// pkg/apis/core/validation/validation.go of Kubernetes 1.37.

namespace dray::wire {
namespace {

using Names = std::set<std::string, std::less<>>;

void check_pod_claim(const Field& claim, Names& names, FieldErrors& errors) {
  const auto name = claim.child("name");
  if (name.text().empty()) {
    errors.required(name);
  } else if (names.contains(name.text())) {
    errors.duplicate(name, name.text());
  } else {
    check_label_name(name, errors);
    names.emplace(name.text());
  }
  const auto direct = claim.child("resourceClaimName");
  const auto from_template = claim.child("resourceClaimTemplateName");
  if (direct.present() && from_template.present()) {
    errors.invalid_json(claim, claim.json(),
                        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                        "specified");
  }
  if (!direct.present() && !from_template.present()) {
    errors.invalid_json(claim, claim.json(),
                        "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  }
  for (const auto* each : {&direct, &from_template}) {
    if (each->present()) check_subdomain(*each, errors);
  }
}

/// Which claims of the pod a container uses: each once, or some of its requests.
void check_container_claims(const Field& claims, const Names& known, FieldErrors& errors) {
  Names used;
  for (const auto& claim : claims.items()) {
    const auto name = claim.child("name").text();
    const auto request = claim.child("request");
    if (name.empty()) {
      errors.required(claim);
      continue;
    }
    if (used.contains(name)) {
      errors.duplicate(claim, name);
    } else {
      auto key = std::string(name);
      if (!request.text().empty()) {
        check_label_name(request, errors);
        key += "/" + std::string(request.text());
      }
      const bool overlaps = std::ranges::any_of(used, [&](const std::string& other) {
        return request.text().empty() && other.starts_with(key + "/");
      });
      if (used.contains(key) || overlaps) errors.duplicate(claim, key);
      used.insert(std::move(key));
    }
    if (known.contains(name)) continue;
    errors.not_found(claim, name,
                     known.empty() ? "must be one of the names in pod.spec.resourceClaims which "
                                     "is empty"
                                   : "must be one of the names in pod.spec.resourceClaims");
  }
}

}  // namespace

void check_pod_claims(const Field& spec, const ValidationContext& context) {
  auto& errors = context.errors;
  const auto claims = spec.child("resourceClaims");
  const auto containers = [&](const auto& check) {
    for (const auto* kind : {"initContainers", "containers"}) {
      for (const auto& container : spec.child(kind).items()) {
        check(container.child("resources").child("claims"));
      }
    }
    check(spec.child("resources").child("claims"));
  };
  for (const auto& claim : claims.items())
    check_schema(claim, api_types::pod_resource_claim(), errors);
  containers([&](const Field& used) {
    for (const auto& claim : used.items())
      check_schema(claim, api_types::container_resource_claim(), errors);
  });
  if (!errors.empty()) return;
  Names names;
  for (const auto& claim : claims.items()) check_pod_claim(claim, names, errors);
  Names known;
  for (const auto& claim : claims.items()) {
    const auto name = claim.child("name").text();
    if (!name.empty()) known.emplace(name);
  }
  containers([&](const Field& used) { check_container_claims(used, known, errors); });
}

}  // namespace dray::wire
