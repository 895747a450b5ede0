#include "dray/base/time.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace dray {
namespace {

using std::chrono::floor;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads a text of fixed-width numbers from left to right; the first mismatch spoils it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool starts_with(char c) const { return rest_.starts_with(c); }
  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }

  void expect(char c) {
    good_ = good_ && rest_.starts_with(c);
    if (good_) rest_.remove_prefix(1);
  }

  /// A number of exactly `width` digits in [least, most].
  int number(std::size_t width, int least, int most) {
    int value = 0;
    good_ = good_ && rest_.size() >= width && std::ranges::all_of(rest_.substr(0, width), is_digit);
    if (!good_) return least;
    std::from_chars(rest_.data(), rest_.data() + width, value);
    rest_.remove_prefix(width);
    good_ = value >= least && value <= most;
    return good_ ? value : least;
  }

  /// The decimals that follow, in microseconds.
  std::chrono::microseconds fraction() {
    const auto end =
        static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_digit) - rest_.begin());
    good_ = good_ && end > 0;
    auto six = std::string(rest_.substr(0, std::min<std::size_t>(end, 6)));
    six.resize(6, '0');
    rest_.remove_prefix(end);
    int value = 0;
    std::from_chars(six.data(), six.data() + six.size(), value);
    return std::chrono::microseconds(value);
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::optional<Time> scan(std::string_view text) {
  Scanner in(text);
  const std::chrono::year year(in.number(4, 0, 9999));
  in.expect('-');
  const std::chrono::month month(static_cast<unsigned>(in.number(2, 1, 12)));
  in.expect('-');
  const std::chrono::day day(static_cast<unsigned>(in.number(2, 1, 31)));
  in.expect('T');
  const std::chrono::hours hours(in.number(2, 0, 23));
  in.expect(':');
  const std::chrono::minutes minutes(in.number(2, 0, 59));
  in.expect(':');
  const std::chrono::seconds seconds(in.number(2, 0, 59));
  std::chrono::microseconds fraction{0};
  if (in.starts_with('.')) {
    in.expect('.');
    fraction = in.fraction();
  }
  std::chrono::minutes offset{0};
  if (in.starts_with('Z')) {
    in.expect('Z');
  } else {
    const bool west = in.starts_with('-');
    in.expect(west ? '-' : '+');
    offset = std::chrono::hours(in.number(2, 0, 23));
    in.expect(':');
    offset += std::chrono::minutes(in.number(2, 0, 59));
    if (west) offset = -offset;
  }
  const std::chrono::year_month_day date(year, month, day);
  if (!in.done() || !date.ok()) return std::nullopt;
  return Time(std::chrono::sys_days(date) + hours + minutes + seconds - offset + fraction);
}

std::string format_seconds(Time time) {
  const auto days = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::seconds>(time - days));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace

Result<Time> parse_time(std::string_view text) {
  if (const auto time = scan(text)) return *time;
  return fail(ErrorCode::invalid, fmt::format("not an RFC 3339 time: \"{}\"", text));
}

std::string format_time(Time time) {
  return format_seconds(time) + "Z";
}

std::string format_micro_time(Time time) {
  const auto micros = time - floor<std::chrono::seconds>(time);
  return fmt::format("{}.{:06}Z", format_seconds(time), micros.count());
}

}  // namespace dray
