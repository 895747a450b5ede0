#include "dray/cel/semver.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cel/text/ascii.h"
#include "cel/text/number_text.h"

namespace dray::cel {
namespace {

bool is_identifier_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}
bool only_digits(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}
bool only_words(std::string_view text) {
  return std::ranges::all_of(text, is_identifier_char);
}
bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text[0] == '0';
}

std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::invalid, std::move(message));
}

/// `text` up to the first `separator`, which goes with it; all of it if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const auto part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const bool last = !text.contains(separator);
    parts.push_back(take_until(text, separator));
    if (last) return parts;
  }
}

Result<std::uint64_t> parse_uint(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{}) return value;
  return invalid(fmt::format(
      "strconv.ParseUint: parsing {}: {}", quote(text),
      error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
}

Result<std::uint64_t> parse_number(std::string_view text, std::string_view lower,
                                   std::string_view upper) {
  if (!only_digits(text)) {
    return invalid(fmt::format("Invalid character(s) found in {} number {}", lower, quote(text)));
  }
  if (has_leading_zero(text)) {
    return invalid(fmt::format("{} number must not contain leading zeroes {}", upper, quote(text)));
  }
  return parse_uint(text);
}

Result<Semver::Identifier> parse_identifier(std::string_view text) {
  if (text.empty()) return invalid("Prerelease is empty");
  if (only_digits(text)) {
    if (has_leading_zero(text)) {
      return invalid(fmt::format("Numeric PreRelease version must not contain leading zeroes {}",
                                 quote(text)));
    }
    auto number = parse_uint(text);
    if (!number) return std::unexpected(std::move(number.error()));
    return Semver::Identifier(*number);
  }
  if (only_words(text)) return Semver::Identifier(std::string(text));
  return invalid(fmt::format("Invalid character(s) found in prerelease {}", quote(text)));
}

/// major, minor and all the rest; false if there are not three parts.
bool split_in_three(std::string_view text, std::array<std::string_view, 3>& parts) {
  if (std::ranges::count(text, '.') < 2) return false;
  parts[0] = take_until(text, '.');
  parts[1] = take_until(text, '.');
  parts[2] = text;
  return true;
}

}  // namespace

Result<Semver> Semver::parse(std::string_view text) {
  if (text.empty()) return invalid("Version string empty");
  std::array<std::string_view, 3> parts;
  if (!split_in_three(text, parts)) return invalid("No Major.Minor.Patch elements found");

  auto& rest = parts[2];
  std::vector<std::string_view> build_parts;
  std::vector<std::string_view> prerelease_parts;
  if (const auto at = rest.find('+'); at != std::string_view::npos) {
    build_parts = split(rest.substr(at + 1), '.');
    rest = rest.substr(0, at);
  }
  if (const auto at = rest.find('-'); at != std::string_view::npos) {
    prerelease_parts = split(rest.substr(at + 1), '.');
    rest = rest.substr(0, at);
  }

  static constexpr std::array<std::array<std::string_view, 2>, 3> names{
      {{"major", "Major"}, {"minor", "Minor"}, {"patch", "Patch"}}};
  Semver version;
  const std::array<std::uint64_t*, 3> numbers{&version.major, &version.minor, &version.patch};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = parse_number(parts.at(i), names.at(i)[0], names.at(i)[1]);
    if (!number) return std::unexpected(number.error());
    *numbers.at(i) = *number;
  }
  for (const auto part : prerelease_parts) {
    auto identifier = parse_identifier(part);
    if (!identifier) return std::unexpected(std::move(identifier.error()));
    version.prerelease.push_back(std::move(*identifier));
  }
  for (const auto part : build_parts) {
    if (part.empty()) return invalid("Build meta data is empty");
    if (!only_words(part)) {
      return invalid(fmt::format("Invalid character(s) found in build meta data {}", quote(part)));
    }
    version.build.emplace_back(part);
  }
  return version;
}

Result<Semver> Semver::parse_tolerant(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  while (parts.size() < 2 && text.contains('.')) parts.emplace_back(take_until(text, '.'));
  parts.emplace_back(text);
  for (auto& part : parts) {
    if (part.size() < 2) continue;
    part.erase(0, part.find_first_not_of('0'));
    if (part.empty() || !is_digit(part[0])) part.insert(0, "0");
  }
  if (parts.size() < 3) {
    if (parts.back().find_first_of("+-") != std::string::npos) {
      return invalid("short version cannot contain PreRelease/Build meta data");
    }
    parts.resize(3, "0");
  }
  return parse(fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]));
}

std::string Semver::to_string() const {
  auto text = fmt::format("{}.{}.{}", major, minor, patch);
  char separator = '-';
  for (const auto& identifier : prerelease) {
    text += separator;
    separator = '.';
    if (const auto* number = std::get_if<std::uint64_t>(&identifier)) {
      text += std::to_string(*number);
    } else {
      text += std::get<std::string>(identifier);
    }
  }
  separator = '+';
  for (const auto& word : build) {
    text += separator;
    separator = '.';
    text += word;
  }
  return text;
}

std::strong_ordering Semver::operator<=>(const Semver& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  if (const auto order = patch <=> other.patch; order != 0) return order;
  // Any pre-release comes before the release itself.
  if (prerelease.empty() || other.prerelease.empty()) {
    return prerelease.empty() <=> other.prerelease.empty();
  }
  // A variant orders by alternative first: numbers before words.
  return prerelease <=> other.prerelease;
}

}  // namespace dray::cel
