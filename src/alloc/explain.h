#pragma once

#include <vector>

#include "alloc/ask.h"
#include "alloc/memo.h"
#include "alloc/node_view.h"
#include "alloc/tables.h"
#include "dray/alloc/allocator.h"

namespace dray::alloc {

/// Where the candidates of each (sub)request went.
[[nodiscard]] std::vector<RequestFunnel> funnels(const NodeView& view, const Ask& ask,
                                                 const Tables& tables);

/// The Reason for a search that found nothing: the first stage that left some request with too few
/// devices, else what the requests do to each other.
[[nodiscard]] Remembered diagnose(const NodeView& view, const Ask& ask, const Tables& tables);

}  // namespace dray::alloc
