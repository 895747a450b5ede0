#include "wire/yaml/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "wire/json/json_writer.h"

namespace dray::wire {
namespace {

using namespace std::string_view_literals;

constexpr std::array true_words{"true"sv, "True"sv, "TRUE"sv, "yes"sv, "Yes"sv, "YES"sv,
                                "y"sv,    "Y"sv,    "on"sv,   "On"sv,  "ON"sv};
constexpr std::array false_words{"false"sv, "False"sv, "FALSE"sv, "no"sv,  "No"sv, "NO"sv,
                                 "n"sv,     "N"sv,     "off"sv,   "Off"sv, "OFF"sv};
constexpr std::array null_words{""sv, "~"sv, "null"sv, "Null"sv, "NULL"sv};

bool among(const auto& words, std::string_view text) {
  return std::ranges::find(words, text) != words.end();
}

/// Go's ParseInt with base 0, then ParseUint: 10, 0x10, 0o10, 010, 0b10, with a sign.
std::optional<std::string> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  static constexpr std::array<std::pair<std::string_view, int>, 7> prefixes{
      {{"0x", 16}, {"0X", 16}, {"0o", 8}, {"0O", 8}, {"0b", 2}, {"0B", 2}, {"0", 8}}};
  int base = 10;
  for (const auto& [prefix, its_base] : prefixes) {
    if (base == 10 && text.size() > prefix.size() && text.starts_with(prefix)) {
      base = its_base;
      text.remove_prefix(prefix.size());
    }
  }
  std::uint64_t magnitude = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, magnitude, base);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  if (negative && magnitude > std::uint64_t{1} << 63U) return std::nullopt;
  return (negative && magnitude != 0 ? "-" : "") + std::to_string(magnitude);
}

std::optional<std::string> floating(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto first = text.starts_with('-') ? text.substr(1) : text;
  if (first.find_first_of("0123456789.") != 0 || first.find_first_of("0123456789") > 1) {
    return std::nullopt;
  }
  double value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return fmt::format("{}", value);
}

}  // namespace

std::string plain_scalar_to_json(std::string_view text) {
  if (among(null_words, text)) return "null";
  if (among(true_words, text)) return "true";
  if (among(false_words, text)) return "false";
  if (text.find_first_of("+-.0123456789") == 0) {
    std::string digits(text);
    std::erase(digits, '_');
    if (auto number = integer(digits)) return *std::move(number);
    if (auto number = floating(digits)) return *std::move(number);
  }
  JsonWriter out;
  out.string(text);
  return std::move(out).take();
}

}  // namespace dray::wire
