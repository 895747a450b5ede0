#pragma once

#include <cstdint>
#include <optional>

#include "dray/base/time.h"

namespace dray::policy {

/// A job's priority with its age: one more for each full `aging` that it waits, if that is set. It
/// orders jobs; who may preempt whom goes by the priority itself.
[[nodiscard]] std::int32_t aged_priority(std::int32_t priority, Duration waited,
                                         std::optional<Duration> aging);

}  // namespace dray::policy
