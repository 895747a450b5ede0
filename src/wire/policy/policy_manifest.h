#pragma once

#include <string_view>

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "wire/yaml/config_node.h"

namespace dray::wire {

/// An object of the Kubernetes API within a file: of that kind, which it need not say, in a version
/// that dray knows, by default the best.
[[nodiscard]] Result<KubeObject> read_manifest(const ConfigNode& in, std::string_view kind);

}  // namespace dray::wire
