#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "dray/simulate/object_stream.h"

namespace dray::simulate {

/// So many copies of the first node (by name) whose name begins with `kind` and a hyphen, with its
/// slices, and all that is of no node. The copies are made one by one as they are asked for. An
/// error names the kinds that there are.
[[nodiscard]] Result<ObjectStream> copies_of(const std::vector<KubeObject>& objects,
                                             const std::string& kind, std::size_t count);

}  // namespace dray::simulate
