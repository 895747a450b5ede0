#pragma once

#include <string>

#include "dray/model/object.h"

namespace dray::simulate {

/// The name of the node that the object is, or of which it is a slice or a pod; null: of none.
[[nodiscard]] const std::string* node_of(const KubeObject& object);

}  // namespace dray::simulate
