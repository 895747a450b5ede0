#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace dray::cel {

/// Gives the TZif file of a time zone by IANA name (`Europe/Berlin`), or why it cannot be read, as
/// Unix says it (`is a directory`); no words if there is no such file.
using TimeZoneSource = std::expected<std::string, std::string> (*)(std::string_view name);

/// The core reads no files: who runs programs says where time zones come from. Set once, before
/// threads; without a source only UTC and offsets are known. What a source gives is kept.
void set_time_zone_source(TimeZoneSource source);

}  // namespace dray::cel
