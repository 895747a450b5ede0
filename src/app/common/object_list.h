#pragma once

#include <span>
#include <string>

#include "dray/model/object.h"

namespace dray::app {

/// The objects as one List in JSON, a line each: what -f and --cluster read.
[[nodiscard]] std::string object_list(std::span<const KubeObject> objects);

}  // namespace dray::app
