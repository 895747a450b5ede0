#include "dray/cel/time_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "cel/text/number_text.h"
#include "cel/text/time_text.h"

namespace dray::cel {

namespace {

/// A zone's changes of offset (RFC 8536), without the rule for times after the last one.
struct Zone {
  std::vector<std::int64_t> times;
  std::vector<std::int32_t> offsets;  ///< from times[i] on
  std::int32_t first = 0;             ///< before them
  std::string rule;                   ///< POSIX TZ for what comes after
};

std::int64_t read_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = (value << 8U) | static_cast<unsigned char>(byte);
  if (bytes.size() == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int64_t>(value);
}

struct Header {
  std::size_t is_utc, is_standard, leaps, times, types, names;
};

std::optional<Header> read_header(std::string_view& data) {
  if (data.size() < 44 || !data.starts_with("TZif")) return std::nullopt;
  const auto count = [&](std::size_t i) {
    return static_cast<std::size_t>(read_big_endian(data.substr(20 + 4 * i, 4)));
  };
  const Header header{count(0), count(1), count(2), count(3), count(4), count(5)};
  data.remove_prefix(44);
  return header;
}

std::size_t body_size(const Header& h, std::size_t time_size) {
  return h.times * (time_size + 1) + h.types * 6 + h.names + h.leaps * (time_size + 4) +
         h.is_standard + h.is_utc;
}

std::optional<Zone> read_zone(std::string_view data) {
  const bool wide = data.size() > 4 && data[4] >= '2';
  auto header = read_header(data);
  if (wide && header) {
    if (data.size() < body_size(*header, 4)) return std::nullopt;
    data.remove_prefix(body_size(*header, 4));
    header = read_header(data);
  }
  const std::size_t time_size = wide ? 8 : 4;
  if (!header || header->types == 0 || data.size() < body_size(*header, time_size)) {
    return std::nullopt;
  }
  const std::string_view types = data.substr(header->times * (time_size + 1));
  const auto offset = [&](std::size_t type) {
    return static_cast<std::int32_t>(read_big_endian(types.substr(type * 6, 4)));
  };
  Zone zone;
  for (std::size_t i = 0; i < header->times; ++i) {
    const auto type = static_cast<unsigned char>(data[header->times * time_size + i]);
    if (type >= header->types) return std::nullopt;
    zone.times.push_back(read_big_endian(data.substr(i * time_size, time_size)));
    zone.offsets.push_back(offset(type));
  }
  // Before the first change: the first type that is no summer time.
  std::size_t standard = 0;
  while (standard + 1 < header->types && types[standard * 6 + 4] != 0) ++standard;
  zone.first = offset(types[standard * 6 + 4] == 0 ? standard : 0);
  if (wide) {
    zone.rule = data.substr(body_size(*header, 8));
    std::erase(zone.rule, '\n');
  }
  return zone;
}

/// A POSIX TZ rule: `CET-1CEST,M3.5.0,M10.5.0/3`.
class Rule {
 public:
  explicit Rule(std::string_view text) : rest_(text) {}

  std::optional<std::int32_t> offset_at(std::int64_t seconds) {
    std::int64_t standard = 0;
    if (!name() || !time(standard)) return std::nullopt;
    standard = -standard;
    if (rest_.empty()) return static_cast<std::int32_t>(standard);
    if (!name()) return std::nullopt;
    std::int64_t summer = standard + 3600;
    if (!rest_.starts_with(',')) {
      if (!time(summer)) return std::nullopt;
      summer = -summer;
    }
    const std::int64_t year = civil_time(seconds + standard).year;
    const auto start = change(year, standard);
    const auto end = change(year, summer);
    if (!start || !end) return std::nullopt;
    const bool inside =
        *start < *end ? seconds >= *start && seconds < *end : seconds >= *start || seconds < *end;
    return static_cast<std::int32_t>(inside ? summer : standard);
  }

 private:
  bool name() {
    const bool quoted = rest_.starts_with('<');
    std::size_t end = quoted ? rest_.find('>') : rest_.find_first_of("+-,0123456789");
    if (end == std::string_view::npos) end = rest_.size() - (quoted ? 1 : 0);
    rest_.remove_prefix(std::min(rest_.size(), end + (quoted ? 1 : 0)));
    return true;
  }

  bool number(std::int64_t& value) {
    value = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      value = value * 10 + (rest_[digits++] - '0');
      if (value > 100000) return false;
    }
    rest_.remove_prefix(digits);
    return digits > 0;
  }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool time(std::int64_t& seconds) {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t part = 0;
    if (!number(part)) return false;
    seconds = part * 3600;
    for (const std::int64_t unit : {60, 1}) {
      if (!take(':')) break;
      if (!number(part)) return false;
      seconds += part * unit;
    }
    if (negative) seconds = -seconds;
    return true;
  }

  /// When a change happens in a year, in UTC; only the `Mm.w.d` form is in use.
  std::optional<std::int64_t> change(std::int64_t year, std::int64_t offset_before) {
    std::int64_t month = 0;
    std::int64_t week = 0;
    std::int64_t day = 0;
    if (!take(',') || !take('M') || !number(month) || !take('.') || !number(week) || !take('.') ||
        !number(day) || month < 1 || month > 12) {
      return std::nullopt;
    }
    std::int64_t at = 7200;
    if (take('/') && !time(at)) return std::nullopt;
    const std::string first = fmt::format("{:04}-{:02}-01T00:00:00Z", year, month);
    const auto start = parse_timestamp(first);
    if (!start) return std::nullopt;
    const CivilTime civil = civil_time(start->seconds);
    std::int64_t date = 1 + (day - civil.day_of_week + 7) % 7 + (week - 1) * 7;
    while (civil_time(start->seconds + (date - 1) * 86400).month != civil.month) date -= 7;
    return start->seconds + (date - 1) * 86400 + at - offset_before;
  }

  std::string_view rest_;
};

std::int32_t offset_in(const Zone& zone, std::int64_t seconds) {
  const auto next = std::ranges::upper_bound(zone.times, seconds);
  if (next == zone.times.begin()) return zone.first;
  if (next == zone.times.end() && !zone.rule.empty()) {
    if (const auto offset = Rule(zone.rule).offset_at(seconds)) return *offset;
  }
  return zone.offsets[static_cast<std::size_t>(next - zone.times.begin()) - 1];
}

struct Zones {
  std::mutex mutex;
  TimeZoneSource source = nullptr;
  std::map<std::string, std::unique_ptr<const Zone>, std::less<>> known;
};

Zones& zones() {
  static Zones made;
  return made;
}

/// The zone, or Go's error text.
std::expected<const Zone*, std::string> find_zone(std::string_view name) {
  // Names that could leave the zone directory.
  if (name.find("..") != std::string_view::npos || name.starts_with('/') ||
      name.starts_with('\\')) {
    return std::unexpected("time: invalid location name");
  }
  if (name.find('\0') != std::string_view::npos) return std::unexpected("invalid argument");
  Zones& all = zones();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.known.find(name); found != all.known.end()) {
    return found->second.get();
  }
  const auto data = all.source != nullptr ? all.source(name) : std::unexpected(std::string());
  if (!data) {
    return std::unexpected(data.error().empty() ? fmt::format("unknown time zone {}", name)
                                                : data.error());
  }
  const auto zone = read_zone(*data);
  if (!zone) return std::unexpected("malformed time zone information");
  return all.known.emplace(name, std::make_unique<const Zone>(*zone)).first->second.get();
}

}  // namespace

void set_time_zone_source(TimeZoneSource source) {
  const std::lock_guard lock(zones().mutex);
  zones().source = source;
}

std::optional<std::int32_t> zone_offset(std::string_view zone, std::int64_t seconds,
                                        std::string& error) {
  const auto colon = zone.find(':');
  if (colon == std::string_view::npos) {
    if (zone.empty() || zone == "UTC") return 0;
    auto known = find_zone(zone);
    if (known) return offset_in(**known, seconds);
    error = std::move(known.error());
    return std::nullopt;
  }
  std::optional<std::int64_t> parts[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string_view text = i == 0 ? zone.substr(0, colon) : zone.substr(colon + 1);
    parts[i] = parse_int(text);
    if (!parts[i]) {
      const std::size_t digits = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
      const bool number = text.size() > digits &&
                          text.find_first_not_of("0123456789", digits) == std::string_view::npos;
      error = fmt::format("strconv.Atoi: parsing {}: {}", quote(text),
                          number ? "value out of range" : "invalid syntax");
      return std::nullopt;
    }
  }
  // Wraps as Go's int does; no such offset means anything.
  const auto hours = static_cast<std::uint64_t>(*parts[0]) * 60;
  const auto minutes = static_cast<std::uint64_t>(*parts[1]);
  const auto offset = zone.starts_with('-') ? hours - minutes : hours + minutes;
  return static_cast<std::int32_t>(static_cast<std::int64_t>(offset) * 60 % (1LL << 31U));
}

}  // namespace dray::cel
