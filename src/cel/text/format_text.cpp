#include "cel/text/format_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "cel/text/number_text.h"
#include "cel/text/utf8.h"

namespace dray::cel {

std::optional<FormatClause> read_clause(std::string_view& text, std::string& error) {
  FormatClause clause;
  std::size_t i = 0;
  if (text[0] == '.') {
    std::size_t end = 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const std::string_view digits = text.substr(1, end - 1);
    if (end == text.size()) {
      error = "error while parsing precision: could not find end of precision specifier";
      return std::nullopt;
    }
    clause.precision = parse_int(digits);
    if (!clause.precision) {
      error = fmt::format(
          "error while parsing precision: error while converting precision to integer: "
          "strconv.Atoi: parsing \"{}\": {}",
          digits, digits.empty() ? "invalid syntax" : "value out of range");
      return std::nullopt;
    }
    i = end;
  }
  clause.verb = text[i];
  if (std::string_view("sdfebxXo").find(clause.verb) == std::string_view::npos) {
    std::string shown(1, clause.verb);
    if (const auto byte = static_cast<unsigned char>(clause.verb); byte >= 0x80) {
      shown = {static_cast<char>(0xC0U | (byte >> 6U)), static_cast<char>(0x80U | (byte & 0x3FU))};
    }
    error = fmt::format("unrecognized formatting clause \"{}\"", shown);
    return std::nullopt;
  }
  text.remove_prefix(i + 1);
  return clause;
}

namespace {

/// 0.DIGITS x 10^exponent, without zeros at either end.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal decimal_of(std::string_view scientific) {
  const auto e = scientific.find('e');
  Decimal decimal;
  for (const char c : scientific.substr(0, e)) {
    if (c != '.') decimal.digits += c;
  }
  const std::string_view power = scientific.substr(e + (scientific[e + 1] == '+' ? 2 : 1));
  std::from_chars(power.data(), power.data() + power.size(), decimal.exponent);
  ++decimal.exponent;
  const auto leading = decimal.digits.find_first_not_of('0');
  if (leading == std::string::npos) return {};
  decimal.digits.erase(0, leading);
  decimal.exponent -= static_cast<int>(leading);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  return decimal;
}

std::string to_text(double value, std::chars_format format, int precision) {
  std::vector<char> buffer(static_cast<std::size_t>(std::max(precision, 0)) + 400);
  char* const end = buffer.data() + buffer.size();
  const auto result = precision < 0 ? std::to_chars(buffer.data(), end, value, format)
                                    : std::to_chars(buffer.data(), end, value, format, precision);
  return {buffer.data(), result.ptr};
}

/// The decimal of a number's text in fixed notation.
Decimal decimal_of_fixed(const std::string& fixed) {
  const auto dot = fixed.find('.');
  std::string digits = fixed;
  if (dot != std::string::npos) digits.erase(dot, 1);
  const auto whole = static_cast<int>(dot == std::string::npos ? fixed.size() : dot);
  const auto leading = digits.find_first_not_of('0');
  if (leading == std::string::npos) return {};
  Decimal decimal{digits.substr(leading), whole - static_cast<int>(leading)};
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  return decimal;
}

std::optional<std::string> special(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  return std::nullopt;
}

char digit_at(const Decimal& decimal, int i) {
  return i >= 0 && i < static_cast<int>(decimal.digits.size())
             ? decimal.digits[static_cast<std::size_t>(i)]
             : '0';
}

}  // namespace

std::string fixed_text(double value, std::int64_t precision) {
  if (auto text = special(value)) return *text;
  const auto most = static_cast<std::int16_t>(precision);
  const int least = static_cast<std::uint8_t>(precision);
  const double size = std::fabs(value);
  const Decimal decimal = most >= 0
                              ? decimal_of_fixed(to_text(size, std::chars_format::fixed, most))
                              : decimal_of(to_text(size, std::chars_format::scientific, -1));
  std::string out = value < 0 ? "-" : "";
  const int whole = std::max(decimal.exponent, 0);
  if (whole == 0) out += '0';
  for (int i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) out += ',';
    out += digit_at(decimal, i);
  }
  const int fraction = std::max(least, static_cast<int>(decimal.digits.size()) - decimal.exponent);
  if (decimal.digits.empty() ? least > 0 : fraction > 0) {
    out += '.';
    const int places = decimal.digits.empty() ? least : fraction;
    for (int i = 0; i < places; ++i) out += digit_at(decimal, decimal.exponent + i);
  }
  return out;
}

namespace {

std::string scientific_digits(double value) {
  constexpr int places = 6;
  Decimal decimal = decimal_of(to_text(std::fabs(value), std::chars_format::scientific, places));
  if (decimal.digits.empty()) decimal = {"0", 1};
  std::string out = value < 0 ? "-" : "";
  out += decimal.digits[0];
  out += '.';
  for (int i = 1; i <= places; ++i) out += digit_at(decimal, i);
  out += "×10";
  static constexpr std::array superscript{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const int exponent = decimal.exponent - 1;
  if (exponent < 0) out += "⁻";
  for (const char c : fmt::format("{:02}", std::abs(exponent))) {
    out += superscript[static_cast<std::size_t>(c - '0')];
  }
  return out;
}

}  // namespace

std::string scientific_text(double value, std::int64_t width) {
  const std::string text = special(value).value_or(scientific_digits(value));
  const std::size_t size = rune_count(text);
  const std::size_t wanted = static_cast<std::uint16_t>(width);
  return std::string(wanted > size ? wanted - size : 0, ' ') + text;
}

}  // namespace dray::cel
