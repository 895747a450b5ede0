#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dray::cel {

struct TimestampValue {
  std::int64_t seconds = 0;  ///< since 1970
  std::int32_t nanoseconds = 0;
  std::int32_t zone = 0;  ///< seconds east of UTC, as written
};

inline constexpr std::int64_t first_timestamp = -62135596800;  ///< 0001-01-01T00:00:00Z
inline constexpr std::int64_t last_timestamp = 253402300799;   ///< 9999-12-31T23:59:59Z

/// Go's time.ParseDuration: `1h30m`, `-1.5s`, `10µs`.
[[nodiscard]] std::optional<std::int64_t> parse_duration(std::string_view text);
/// `1h30m0s`
[[nodiscard]] std::string duration_go_text(std::int64_t nanoseconds);
/// `5400s`, `1.5s`
[[nodiscard]] std::string duration_seconds_text(std::int64_t nanoseconds);

/// Go's time.Parse(time.RFC3339, text); any year from 0 to 9999.
[[nodiscard]] std::optional<TimestampValue> parse_timestamp(std::string_view text);
/// RFC3339Nano in the timestamp's own zone.
[[nodiscard]] std::string timestamp_text(const TimestampValue& timestamp);
/// Go's time.Time.String().
[[nodiscard]] std::string timestamp_go_text(const TimestampValue& timestamp);

/// Broken-down time.
struct CivilTime {
  std::int64_t year = 1;
  int month = 1;
  int day = 1;
  int day_of_week = 0;  ///< Sunday is 0
  int day_of_year = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
};
[[nodiscard]] CivilTime civil_time(std::int64_t seconds);

/// Seconds east of UTC at a time in a zone given as an IANA name or as ±hh:mm; nothing and Go's
/// error text if there is no such zone.
[[nodiscard]] std::optional<std::int32_t> zone_offset(std::string_view zone, std::int64_t seconds,
                                                      std::string& error);

}  // namespace dray::cel
