#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dray/model/object.h"

namespace dray::kube {

/// What dray keeps of a cluster; the Lease and its own ConfigMap are read when they are needed.
[[nodiscard]] std::span<const Kind> cluster_kinds();

/// DeviceTaintRule is young, and groups and queues come with other projects; all else is there
/// wherever dray makes sense.
[[nodiscard]] bool is_always_served(Kind kind);

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
