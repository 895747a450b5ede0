#pragma once

#include <span>
#include <string>
#include <vector>

#include "alloc/request/prepared_claims.h"
#include "alloc/search/candidate_tables.h"
#include "alloc/search/placing.h"
#include "alloc/view/attribute_values.h"
#include "alloc/view/node_view.h"

namespace dray::alloc {

/// Allocations that work but that drivers or hardware are known to make little of.
[[nodiscard]] std::vector<std::string> warnings(const NodeView& view,
                                                const PreparedClaims& prepared,
                                                const CandidateTables& tables,
                                                const AttributeValues& values,
                                                std::span<const Pick> picks);

}  // namespace dray::alloc
