#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace dray::app {

/// A zone of the system's time zone database, for CEL's functions of timestamps: $ZONEINFO, else
/// where Linux keeps it, as Go looks for it; or why it cannot be read (see TimeZoneSource).
[[nodiscard]] std::expected<std::string, std::string> read_time_zone(std::string_view name);

}  // namespace dray::app
