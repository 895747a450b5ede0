#pragma once

#include <optional>
#include <string_view>

#include "dray/base/time.h"

namespace dray::wire {

/// A time as people write it in configuration: 90s, 1h30m, 7d, 2w, 500ms. Whole numbers, each with
/// its unit.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

}  // namespace dray::wire
