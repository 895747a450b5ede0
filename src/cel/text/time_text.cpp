#include "cel/text/time_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "cel/text/ascii.h"
#include "cel/text/number_text.h"

namespace dray::cel {

namespace {

constexpr std::int64_t second = 1'000'000'000;

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};
constexpr std::array units{
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"\u00B5s", 1'000},
    Unit{"\u03BCs", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
};

/// One `12.5h` of a duration, added to `total`; false where it is none or too large.
bool read_part(std::string_view& text, std::uint64_t& total) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 63U;
  std::uint64_t whole = 0;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (whole > limit / 10) return false;
    whole = whole * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (whole > limit) return false;
  }
  std::size_t digits = i;
  std::uint64_t fraction = 0;
  double scale = 1;
  if (i < text.size() && text[i] == '.') {
    bool overflow = false;
    for (++i; i < text.size() && is_digit(text[i]); ++i, ++digits) {
      if (overflow) continue;
      const auto digit = static_cast<std::uint64_t>(text[i] - '0');
      if (fraction > (limit - 1) / 10 || fraction * 10 + digit > limit) {
        overflow = true;
        continue;
      }
      fraction = fraction * 10 + digit;
      scale *= 10;
    }
  }
  if (digits == 0) return false;
  text.remove_prefix(i);
  std::size_t end = 0;
  while (end < text.size() && text[end] != '.' && !is_digit(text[end])) ++end;
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end);
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    if (whole > limit / unit.nanoseconds) return false;
    whole *= unit.nanoseconds;
    whole += static_cast<std::uint64_t>(static_cast<double>(fraction) *
                                        (static_cast<double>(unit.nanoseconds) / scale));
    if (whole > limit) return false;
    total += whole;
    return total <= limit;
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    if (text[0] != '.' && !is_digit(text[0])) return std::nullopt;
    if (!read_part(text, total)) return std::nullopt;
  }
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative) {
    return total > most ? std::numeric_limits<std::int64_t>::min()
                        : -static_cast<std::int64_t>(total);
  }
  if (total > most) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

std::string duration_go_text(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  const std::string sign = nanoseconds < 0 ? "-" : "";
  const std::uint64_t size = nanoseconds < 0 ? 0 - static_cast<std::uint64_t>(nanoseconds)
                                             : static_cast<std::uint64_t>(nanoseconds);
  const auto trimmed = [](std::uint64_t whole, std::uint64_t part, int places) {
    std::string out = std::to_string(whole);
    if (part == 0) return out;
    std::string digits = fmt::format("{:0{}}", part, places);
    digits.erase(digits.find_last_not_of('0') + 1);
    return out + "." + digits;
  };
  if (size < 1'000) return sign + std::to_string(size) + "ns";
  if (size < 1'000'000) return sign + trimmed(size / 1'000, size % 1'000, 3) + "µs";
  if (size < second) return sign + trimmed(size / 1'000'000, size % 1'000'000, 6) + "ms";
  const std::uint64_t seconds = size / second;
  std::string out = sign;
  if (seconds >= 3600) out += fmt::format("{}h", seconds / 3600);
  if (seconds >= 60) out += fmt::format("{}m", seconds / 60 % 60);
  return out + trimmed(seconds % 60, size % second, 9) + "s";
}

std::string duration_seconds_text(std::int64_t nanoseconds) {
  // Go's Seconds(): a float64 of the whole and the rest.
  const auto whole = nanoseconds / second;
  const double seconds =
      static_cast<double>(whole) + static_cast<double>(nanoseconds % second) / 1e9;
  return format_double_f(seconds) + "s";
}

// --- timestamps ---

namespace {

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar.
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in(std::int64_t year, int month) {
  constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

/// `digits` decimal digits at the front.
bool take_number(std::string_view& text, std::size_t digits, int& value) {
  if (text.size() < digits) return false;
  value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (!is_digit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_zone(std::string_view& text, std::int32_t& zone) {
  zone = 0;
  if (take(text, 'Z')) return true;
  const bool east = take(text, '+');
  if (!east && !take(text, '-')) return false;
  int hours = 0;
  int minutes = 0;
  if (!take_number(text, 2, hours) || !take(text, ':') || !take_number(text, 2, minutes)) {
    return false;
  }
  if (hours > 24 || minutes > 60) return false;
  zone = (hours * 60 + minutes) * 60 * (east ? 1 : -1);
  return true;
}

}  // namespace

CivilTime civil_time(std::int64_t seconds) {
  constexpr std::int64_t day_seconds = 86400;
  std::int64_t days = seconds / day_seconds;
  std::int64_t rest = seconds % day_seconds;
  if (rest < 0) {
    rest += day_seconds;
    --days;
  }
  const std::int64_t z = days + 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t day_of_era = z - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  CivilTime time;
  time.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  time.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  time.year = year_of_era + era * 400 + (time.month <= 2 ? 1 : 0);
  time.day_of_year = static_cast<int>(days - days_from_civil(time.year, 1, 1)) + 1;
  time.day_of_week = static_cast<int>(((days + 4) % 7 + 7) % 7);
  time.hour = static_cast<int>(rest / 3600);
  time.minute = static_cast<int>(rest / 60 % 60);
  time.second = static_cast<int>(rest % 60);
  return time;
}

std::optional<TimestampValue> parse_timestamp(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int seconds = 0;
  const bool date = take_number(text, 4, year) && take(text, '-') && take_number(text, 2, month) &&
                    take(text, '-') && take_number(text, 2, day);
  if (!date || !take(text, 'T')) return std::nullopt;
  // Go takes an hour of one digit.
  const bool short_hour = text.size() > 1 && is_digit(text[0]) && text[1] == ':';
  const bool time = take_number(text, short_hour ? 1 : 2, hour) && take(text, ':') &&
                    take_number(text, 2, minute) && take(text, ':') &&
                    take_number(text, 2, seconds);
  if (!time || month < 1 || month > 12 || day < 1 || day > days_in(year, month) || hour > 23 ||
      minute > 59 || seconds > 59) {
    return std::nullopt;
  }
  TimestampValue value;
  if (text.size() >= 2 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    std::int32_t unit = 100'000'000;
    for (text.remove_prefix(1); !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
      value.nanoseconds += (text[0] - '0') * unit;
      unit /= 10;
    }
  }
  if (!take_zone(text, value.zone) || !text.empty()) return std::nullopt;
  value.seconds = days_from_civil(year, month, day) * 86400 + std::int64_t{hour} * 3600 +
                  std::int64_t{minute} * 60 + seconds - value.zone;
  return value;
}

namespace {

std::string fraction_text(std::int32_t nanoseconds) {
  if (nanoseconds == 0) return {};
  std::string digits = fmt::format("{:09}", nanoseconds);
  digits.erase(digits.find_last_not_of('0') + 1);
  return "." + digits;
}

std::string offset_text(std::int32_t zone, const char* separator) {
  const int minutes = std::abs(zone) / 60;
  return fmt::format("{}{:02}{}{:02}", zone < 0 ? '-' : '+', minutes / 60, separator, minutes % 60);
}

}  // namespace

std::string timestamp_text(const TimestampValue& timestamp) {
  const CivilTime t = civil_time(timestamp.seconds + timestamp.zone);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}", t.year, t.month, t.day, t.hour,
                     t.minute, t.second, fraction_text(timestamp.nanoseconds),
                     timestamp.zone == 0 ? "Z" : offset_text(timestamp.zone, ":"));
}

std::string timestamp_go_text(const TimestampValue& timestamp) {
  const CivilTime t = civil_time(timestamp.seconds + timestamp.zone);
  const std::string offset = offset_text(timestamp.zone, "");
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{} {} {}", t.year, t.month, t.day, t.hour,
                     t.minute, t.second, fraction_text(timestamp.nanoseconds), offset,
                     timestamp.zone == 0 ? "UTC" : offset);
}

}  // namespace dray::cel
