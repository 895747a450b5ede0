#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dray/model/object.h"

namespace dray::kube {

/// The versions of the API under which a kind may be served, the best first; wire reads them all.
[[nodiscard]] std::span<const std::string_view> served_versions(Kind kind);

/// `/apis/resource.k8s.io/v1/resourceslices`, of all namespaces.
[[nodiscard]] std::string collection_path(Kind kind, std::string_view version);
/// `/apis/resource.k8s.io/v1/namespaces/default/resourceclaims`.
[[nodiscard]] std::string collection_path(Kind kind, std::string_view version,
                                          std::string_view namespace_name);
/// `/api/v1/namespaces/default/pods/p0`.
[[nodiscard]] std::string object_path(Kind kind, std::string_view version,
                                      std::string_view namespace_name, std::string_view name);

}  // namespace dray::kube
