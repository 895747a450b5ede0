#include "wire/yaml/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ranges>

namespace dray::wire {

namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t microseconds;
};
constexpr std::array<DurationUnit, 6> duration_units{{{"ms", 1'000},
                                                      {"s", 1'000'000},
                                                      {"m", 60'000'000},
                                                      {"h", 3'600'000'000},
                                                      {"d", 86'400'000'000},
                                                      {"w", 604'800'000'000}}};

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  std::int64_t total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    const auto unit = std::ranges::find_if(
        duration_units, [&](const DurationUnit& u) { return text.starts_with(u.name); });
    if (unit == duration_units.end()) return std::nullopt;
    std::int64_t part = 0;
    if (__builtin_mul_overflow(number, unit->microseconds, &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return std::nullopt;
    }
    text.remove_prefix(unit->name.size());
  }
  return Duration(total);
}

std::string format_duration(Duration duration) {
  const auto count = duration.count();
  if (count == 0) return "0s";
  // The largest unit of which it is a whole number.
  const auto fits = [&](const DurationUnit& u) { return count % u.microseconds == 0; };
  const auto reversed = std::views::reverse(duration_units);
  const auto unit = std::ranges::find_if(reversed, fits);
  return unit == reversed.end() ? fmt::format("{}ms", count / 1000)
                                : fmt::format("{}{}", count / unit->microseconds, unit->name);
}

}  // namespace dray::wire
