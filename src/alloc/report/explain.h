#pragma once

#include <memory>
#include <string>
#include <vector>

#include "alloc/request/prepared_claims.h"
#include "alloc/search/candidate_tables.h"
#include "alloc/search/memo.h"
#include "alloc/view/attribute_values.h"
#include "alloc/view/node_view.h"
#include "dray/alloc/allocator.h"

namespace dray::alloc {

/// Where the candidates of each (sub)request went.
[[nodiscard]] std::vector<RequestFunnel> funnels(const NodeView& view,
                                                 const PreparedClaims& prepared,
                                                 const CandidateTables& tables);

/// A shortage that is not one of a single request.
[[nodiscard]] std::shared_ptr<const Shortage> because(std::string why);

/// That a pool is invalid, in upstream's words; which one it is differs from node to node:
/// pool_faults().
[[nodiscard]] std::shared_ptr<const Shortage> invalid_pools(const NodeView& view);

/// The Reason for a search that found nothing: the first stage that left some request with too few
/// devices, else what the requests do to each other.
[[nodiscard]] Remembered diagnose(const NodeView& view, const PreparedClaims& prepared,
                                  const CandidateTables& tables, const AttributeValues& values);

}  // namespace dray::alloc
