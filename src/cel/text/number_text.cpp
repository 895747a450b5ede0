#include "cel/text/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "cel/text/ascii.h"
#include "cel/text/rune_class.h"
#include "cel/text/utf8.h"

namespace dray::cel {

namespace {

template <class T>
std::optional<T> parse_all(std::string_view text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

/// Go's hexadecimal floats: digits, then an obligatory binary exponent.
std::optional<double> parse_hex_double(std::string_view mantissa) {
  const auto p = mantissa.find_first_of("pP");
  if (p == std::string_view::npos || p + 1 == mantissa.size()) return std::nullopt;
  std::string_view exponent = mantissa.substr(p + 1);
  if (exponent[0] == '+' || exponent[0] == '-') exponent.remove_prefix(1);
  if (exponent.empty() || !std::ranges::all_of(exponent, is_digit)) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(mantissa.data(), mantissa.data() + mantissa.size(),
                                            value, std::chars_format::hex);
  if (error != std::errc{} || end != mantissa.data() + mantissa.size()) return std::nullopt;
  return value;
}

/// Underscores may stand between digits; gives the text without them.
std::optional<std::string> without_underscores(std::string_view text) {
  if (text.find('_') == std::string_view::npos) return std::string(text);
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const bool hex = text.size() > sign + 1 && text[sign] == '0' &&
                   (text[sign + 1] == 'x' || text[sign + 1] == 'X');
  const std::size_t start = sign + (hex ? 2 : 0);
  std::string out(text.substr(0, start));
  char before = hex ? '0' : '^';  // a prefix counts as a digit
  for (const char c : text.substr(start)) {
    const bool digit =
        (c >= '0' && c <= '9') || (hex && std::isxdigit(static_cast<unsigned char>(c)) != 0);
    if (c == '_' && before != '0') return std::nullopt;
    if (!digit && c != '_' && before == '_') return std::nullopt;
    before = c == '_' ? '_' : (digit ? '0' : '!');
    if (c != '_') out += c;
  }
  if (before == '_') return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::int64_t> parse_int_literal(std::string_view digits, bool negative) {
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  return parse_all<std::int64_t>((negative ? "-" : "") + std::string(digits), hex ? 16 : 10);
}

std::optional<std::uint64_t> parse_uint_literal(std::string_view digits) {
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  return parse_all<std::uint64_t>(digits, hex ? 16 : 10);
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  if (text.starts_with("+")) {
    text.remove_prefix(1);
    if (text.starts_with("-")) return std::nullopt;
  }
  return parse_all<std::int64_t>(text, 10);
}

std::optional<std::uint64_t> parse_uint(std::string_view text) {
  return parse_all<std::uint64_t>(text, 10);
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<double> parse_double(std::string_view text) {
  const auto plain = without_underscores(text);
  if (!plain) return std::nullopt;
  std::string_view rest = *plain;
  const bool negative = rest.starts_with("-");
  if (negative || rest.starts_with("+")) rest.remove_prefix(1);
  const double sign = negative ? -1.0 : 1.0;
  if (equals_ignoring_case(rest, "inf") || equals_ignoring_case(rest, "infinity")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (equals_ignoring_case(rest, "nan") && rest.size() == text.size()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (rest.empty() || (!is_digit(rest[0]) && rest[0] != '.')) return std::nullopt;
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    const auto value = parse_hex_double(rest.substr(2));
    if (!value) return std::nullopt;
    return sign * *value;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (end != rest.data() + rest.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars says so for both ends; Go rounds the small end to zero.
    const auto e = rest.find_first_of("eE");
    const bool tiny = e != std::string_view::npos ? rest.find('-', e) != std::string_view::npos
                                                  : rest.find_first_not_of("0.") > rest.find('.');
    if (!tiny) return std::nullopt;
    return sign * 0.0;
  }
  if (error != std::errc{}) return std::nullopt;
  return sign * value;
}

std::string format_double_f(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), error == std::errc{} ? end : buffer.data()};
}

std::string format_double_g(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::scientific);
  std::string scientific(buffer.data(), error == std::errc{} ? end : buffer.data());
  const auto e = scientific.find('e');
  int exponent = 0;
  std::from_chars(scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1),
                  scientific.data() + scientific.size(), exponent);
  // Go's %g with the shortest digits takes six for where the exponent form begins.
  if (exponent < -4 || exponent >= 6) {
    return fmt::format("{}e{}{:02}", scientific.substr(0, e), exponent < 0 ? '-' : '+',
                       std::abs(exponent));
  }
  return format_double_f(value);
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const DecodedRune step = decode_rune(text);
    const std::string_view raw = text.substr(0, step.size);
    text.remove_prefix(step.size);
    if (step.rune == replacement_character && step.size == 1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(raw[0]));
    } else if (step.rune == '"' || step.rune == '\\') {
      out += '\\';
      out += raw;
    } else if (is_printable(step.rune)) {
      out += raw;
    } else {
      static constexpr std::string_view control = "\a\b\f\n\r\t\v";
      static constexpr std::string_view names = "abfnrtv";
      const auto i =
          step.rune < 0x80 ? control.find(static_cast<char>(step.rune)) : std::string_view::npos;
      if (i != std::string_view::npos) {
        out += '\\';
        out += names[i];
      } else if (step.rune < ' ' || step.rune == 0x7F) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned>(step.rune));
      } else if (step.rune < 0x10000) {
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(step.rune));
      } else {
        out += fmt::format("\\U{:08x}", static_cast<unsigned>(step.rune));
      }
    }
  }
  return out + "\"";
}

}  // namespace dray::cel
