#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "alloc/request/prepared_claims.h"
#include "alloc/search/candidate_tables.h"
#include "alloc/search/placing.h"
#include "alloc/view/node_view.h"

namespace dray::alloc {

/// The allocation of every claim, from the devices that a search chose (in its order): results,
/// config of classes and claim, node selector. An Error is upstream's.
[[nodiscard]] Result<std::vector<AllocationResult>> assemble(
    const NodeView& view, const PreparedClaims& prepared, const CandidateTables& tables,
    const Features& features, std::span<const Pick> picks, const NodeName& node,
    const std::function<std::string()>& next_share_id);

/// Upstream's node score by alternatives: 8 - index for each firstAvailable.
[[nodiscard]] std::int64_t preference(const PreparedClaims& prepared, std::span<const Pick> picks);

}  // namespace dray::alloc
