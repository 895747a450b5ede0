#pragma once

#include <string>

#include "dray/planner/job.h"

namespace dray::planner {

/// How a text that the tenant of `reader` sees (a condition, an Event) refers to another job: by
/// name where both share a namespace, else by its queue's relation to the reader's, because names
/// of other namespaces and queues are not the reader's to see.
[[nodiscard]] std::string job_for(const Job& reader, const Job& other);

/// What the tenant of `victim` is told of its eviction for `taker`: a sentence without a full stop.
[[nodiscard]] std::string eviction_text(const Job& victim, const Job& taker);

}  // namespace dray::planner
