#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dray/base/time.h"

namespace dray::wire {

/// A time as people write it in configuration: 90s, 1h30m, 7d, 2w, 500ms. Whole numbers, each with
/// its unit.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// The same back, in the largest unit of which it is a whole number: 90s, 10m, 1w.
[[nodiscard]] std::string format_duration(Duration duration);

}  // namespace dray::wire
