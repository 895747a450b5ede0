#pragma once

#include <span>
#include <string>
#include <vector>

#include "alloc/ask.h"
#include "alloc/attribute_values.h"
#include "alloc/node_view.h"
#include "alloc/placing.h"
#include "alloc/tables.h"

namespace dray::alloc {

/// Allocations that work but that drivers or hardware are known to make little of.
[[nodiscard]] std::vector<std::string> warnings(const NodeView& view, const Ask& ask,
                                                const Tables& tables, const AttributeValues& values,
                                                std::span<const Pick> picks);

}  // namespace dray::alloc
