#include "simulate/trace/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace dray::simulate {
namespace {

/// What is shown of a wrong value.
constexpr std::size_t most_shown = 40;

/// The text as a whole number, all of it.
std::optional<std::int64_t> to_whole(std::string_view text) {
  std::int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

bool is_too_long(std::string_view rest) {
  return std::min(rest.find('\n'), rest.size()) > most_row_bytes;
}

std::string too_long(std::size_t line) {
  return fmt::format("{}:1: expected a row of at most {} bytes, found a longer one", line,
                     most_row_bytes);
}

}  // namespace

Error CsvField::expected(std::string_view name, std::string_view what) const {
  return {ErrorCode::invalid, fmt::format("{}:{}: {}: expected {}, found \"{}\"", line, column,
                                          name, what, text.substr(0, most_shown))};
}

std::vector<CsvField> next_csv_row(std::string_view& rest, std::size_t line) {
  const auto end = rest.find('\n');
  auto text = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  std::vector<CsvField> fields;
  if (text.empty()) return fields;
  for (std::size_t at = 0; at <= text.size();) {
    const bool quoted = at < text.size() && text[at] == '"';
    const auto closing = quoted ? text.find('"', at + 1) : std::string_view::npos;
    auto comma = text.find(',', closing == std::string_view::npos ? at : closing);
    if (comma == std::string_view::npos) comma = text.size();
    const bool stripped = quoted && closing + 1 == comma;
    const auto from = stripped ? at + 1 : at;
    fields.push_back({text.substr(from, (stripped ? closing : comma) - from), line, at + 1});
    at = comma + 1;
  }
  return fields;
}

Result<CsvRows> CsvRows::open(std::string_view text, const std::vector<std::string_view>& required,
                              const Names& names) {
  CsvRows rows;
  rows.rest_ = text;
  rows.line_ = 1;
  if (is_too_long(text)) return fail(ErrorCode::invalid, too_long(1));
  for (const auto& field : next_csv_row(rows.rest_, 1)) rows.names_.push_back(field.text);
  if (auto renamed = rows.rename(names); !renamed) return std::unexpected(renamed.error());
  for (const auto name : required) {
    if (rows.find(name)) continue;
    return fail(ErrorCode::invalid,
                fmt::format("1:1: expected a column {} in the first line", name));
  }
  return rows;
}

Result<void> CsvRows::rename(const Names& names) {
  auto renamed = names_;
  for (const auto& [name, written] : names) {
    std::ranges::replace(renamed, std::string_view(name), std::string_view());
  }
  for (const auto& [name, written] : names) {
    const auto at = find(written);
    if (!at) {
      return fail(
          ErrorCode::invalid,
          fmt::format("1:1: expected a column {} in the first line, for {}", written, name));
    }
    renamed[*at] = name;
  }
  names_ = std::move(renamed);
  return {};
}

bool CsvRows::next() {
  while (!rest_.empty()) {
    too_long_ = is_too_long(rest_);
    if (too_long_) {
      fields_ = {{{}, ++line_, 1}};
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
      return true;
    }
    fields_ = next_csv_row(rest_, ++line_);
    if (!fields_.empty()) return true;
  }
  return false;
}

std::optional<std::size_t> CsvRows::find(std::string_view column) const {
  const auto at = std::ranges::find(names_, column);
  if (at == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names_.begin());
}

CsvField CsvRows::field(std::string_view column) const {
  const auto at = find(column);
  if (at && *at < fields_.size()) return fields_[*at];
  const auto& last = fields_.back();
  return {{}, line_, last.column + last.text.size()};
}

Result<void> CsvRows::complete() const {
  if (too_long_) return fail(ErrorCode::invalid, too_long(line_));
  if (fields_.size() == names_.size()) return {};
  return fail(ErrorCode::invalid, fmt::format("{}:1: expected {} values, found {}", line_,
                                              names_.size(), fields_.size()));
}

std::string_view CsvRows::text(std::string_view column) const {
  return field(column).text;
}

Result<std::int64_t> CsvRows::whole(std::string_view column, std::int64_t least,
                                    std::int64_t most) const {
  const auto value = to_whole(text(column));
  if (value && *value >= least && *value <= most) return *value;
  return std::unexpected(
      expected(column, most == std::numeric_limits<std::int64_t>::max()
                           ? fmt::format("a whole number from {}", least)
                           : fmt::format("a whole number from {} to {}", least, most)));
}

Result<std::int64_t> CsvRows::seconds(std::string_view column) const {
  constexpr double most = 1e12;
  const auto written = text(column);
  double value = 0;
  const auto end = written.data() + written.size();
  const auto [at, error] = std::from_chars(written.data(), end, value);
  if (error != std::errc{} || at != end || !(value >= 0) || value > most) {
    return std::unexpected(expected(column, "seconds, not negative"));
  }
  return static_cast<std::int64_t>(std::llround(value * 1e6));
}

Error CsvRows::expected(std::string_view column, std::string_view what) const {
  return field(column).expected(column, what);
}

}  // namespace dray::simulate
