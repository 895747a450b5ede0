#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dray/model/object.h"

namespace dray::kube {

/// What dray keeps of a cluster; the Lease and its own ConfigMap are read when they are needed.
[[nodiscard]] std::vector<Kind> cluster_kinds();

/// `/apis/resource.k8s.io/v1/resourceslices`, of all namespaces.
[[nodiscard]] std::string collection_path(Kind kind, std::string_view version);
/// `/apis/resource.k8s.io/v1/namespaces/default/resourceclaims`.
[[nodiscard]] std::string collection_path(Kind kind, std::string_view version,
                                          std::string_view namespace_name);
/// `/api/v1/namespaces/default/pods/p0`.
[[nodiscard]] std::string object_path(Kind kind, std::string_view version,
                                      std::string_view namespace_name, std::string_view name);

}  // namespace dray::kube
