#pragma once

#include <cstdint>
#include <vector>

#include "alloc/request/prepared_claims.h"
#include "alloc/search/candidate_tables.h"
#include "alloc/search/score.h"
#include "alloc/search/spending.h"
#include "alloc/view/node_view.h"

namespace dray::alloc {

/// A number for each device; devices with one number are interchangeable: every request sees the
/// same in them and they take the same of their pool. Its own kind is a device that others hold
/// shares of, and one of an `All` request of `failing` (by spec): whether that ends with an error
/// depends on which of its devices is the first that is in use. With a scorer, it rates devices of
/// one kind alike; with an allowance, they take the same of it.
[[nodiscard]] std::vector<std::uint32_t> device_kinds(const NodeView& view,
                                                      const PreparedClaims& prepared,
                                                      const CandidateTables& tables,
                                                      const std::vector<bool>& failing,
                                                      Scorer* scorer, const Spending* spending);

}  // namespace dray::alloc
